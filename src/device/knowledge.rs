//! What one process learns of a device and the next one need not, as bytes: behind the identity of all that it is true of, and with a
//! checksum, because a driver is given its part as it is.

use crate::plan::Tuning;
use std::collections::BTreeMap;

/// The first bytes; the last of them is the format's version.
const MAGIC: [u8; 8] = *b"treefol\x04";

/// Verdicts of self-tests, launch policies, and what the driver gives to be kept.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Knowledge {
    /// By the digest of a self-test: whether the device passes it.
    pub verdicts: BTreeMap<u128, bool>,
    /// Launch policies in place of the adapter's row.
    pub tuning: Option<Tuning>,
    /// The driver's bytes, which only it can read.
    pub pipelines: Vec<u8>,
}

impl Knowledge {
    /// All of it, true of what this identity says.
    pub fn to_bytes(&self, identity: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((identity.len() as u64).to_le_bytes());
        bytes.extend(identity.as_bytes());
        bytes.extend((self.verdicts.len() as u64).to_le_bytes());
        for (of, &right) in &self.verdicts {
            bytes.extend(of.to_le_bytes());
            bytes.push(right.into());
        }
        let tuning = self.tuning.map_or(Vec::new(), |tuning| tuning.numbers().to_vec());
        bytes.extend((tuning.len() as u64).to_le_bytes());
        bytes.extend(tuning.into_iter().flat_map(u64::to_le_bytes));
        bytes.extend((self.pipelines.len() as u64).to_le_bytes());
        bytes.extend(&self.pipelines);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// What such bytes say, or why they are not taken.
    pub fn read(bytes: &[u8], identity: &str) -> Result<Knowledge, String> {
        let short = || "they end too early".to_string();
        let (checked, checksum) = bytes.split_last_chunk::<4>().ok_or_else(short)?;
        let mut rest = Rest(checked);
        if rest.chunk() != Some(MAGIC) {
            return Err("they are no cache, or one of another version's format".into());
        }
        if crc32fast::hash(checked).to_le_bytes() != *checksum {
            return Err("they are damaged: their checksum is another".into());
        }
        let of = rest.counted(1).ok_or_else(short)?;
        if of != identity.as_bytes() {
            let of = String::from_utf8_lossy(of);
            let (theirs, ours) = differing(&of, identity);
            return Err(format!("they are of {theirs:?}, and this is {ours:?}"));
        }
        let verdicts = rest.counted(17).ok_or_else(short)?.chunks_exact(17).map(|verdict| {
            let (of, right) = verdict.split_first_chunk::<16>()?;
            Some((u128::from_le_bytes(*of), *right.first()? != 0))
        });
        let verdicts = verdicts.collect::<Option<_>>().ok_or_else(short)?;
        let tuning = match rest.counted(8).ok_or_else(short)? {
            [] => None,
            bytes => {
                let numbers: Vec<u64> =
                    bytes.chunks_exact(8).filter_map(|n| n.try_into().ok()).map(u64::from_le_bytes).collect();
                Some(Tuning::of_numbers(&numbers).ok_or("their launch policies are none")?)
            }
        };
        let pipelines = rest.counted(1).ok_or_else(short)?.to_vec();
        match rest.0.len() {
            0 => Ok(Knowledge { verdicts, tuning, pipelines }),
            more => Err(format!("{more} bytes stand behind their end")),
        }
    }
}

/// Bytes that are still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (now, later) = self.0.split_at_checked(bytes)?;
        self.0 = later;
        Some(now)
    }

    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// As many things of so many bytes as the number before them says.
    fn counted(&mut self, each: usize) -> Option<&'a [u8]> {
        let count = usize::try_from(u64::from_le_bytes(self.chunk()?)).ok()?;
        self.take(count.checked_mul(each)?)
    }
}

/// The first line of each that the other has not.
fn differing<'a>(one: &'a str, other: &'a str) -> (&'a str, &'a str) {
    let (mut ones, mut others) = (one.lines(), other.lines());
    loop {
        match (ones.next(), others.next()) {
            (None, None) => return (one, other),
            (one, other) if one != other => return (one.unwrap_or_default(), other.unwrap_or_default()),
            _ => (),
        }
    }
}

/// A digest that is the same in every process, on every platform and by every compiler: FNV-1a in 128 bits. Against accidents, not
/// against somebody who wants two texts to have one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u128);

impl Digest {
    pub fn new() -> Digest {
        Digest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// With a part more, whose length is in it, so that no two lists of parts are one.
    pub fn and(self, part: &[u8]) -> Digest {
        self.behind(&(part.len() as u64).to_le_bytes()).behind(part)
    }

    /// With these bytes behind.
    fn behind(self, bytes: &[u8]) -> Digest {
        let step = |digest: u128, &byte: &u8| (digest ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        Digest(bytes.iter().fold(self.0, step))
    }

    pub fn number(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: &str = "treefold 1\na driver\nbuild 7";

    fn known() -> Knowledge {
        let tuning = Some(Tuning::CPU.with(|tuning| tuning.bins.loads_in_flight = 3));
        Knowledge { verdicts: [(7, true), (u128::MAX, false)].into(), tuning, pipelines: b"of a driver".to_vec() }
    }

    #[test]
    fn bytes_come_back() {
        for knowledge in [Knowledge::default(), known()] {
            assert_eq!(Knowledge::read(&knowledge.to_bytes(IDENTITY), IDENTITY), Ok(knowledge));
        }
    }

    #[test]
    fn damage_is_seen() {
        let bytes = known().to_bytes(IDENTITY);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(Knowledge::read(&damaged, IDENTITY).is_err(), "bit {bit} of byte {at}");
            }
            assert!(Knowledge::read(&bytes[..at], IDENTITY).is_err(), "{at} bytes");
        }
        assert!(Knowledge::read(&[&bytes[..], b"more"].concat(), IDENTITY).is_err());
    }

    /// Lengths that lie behind a checksum that is right.
    #[test]
    fn lies_are_seen() {
        let bytes = known().to_bytes(IDENTITY);
        let body = &bytes[..bytes.len() - 4];
        for at in 0..body.len().saturating_sub(8) {
            for lie in [u64::MAX, u64::MAX / 17 + 1, body.len() as u64] {
                let mut lying = body.to_vec();
                lying[at..at + 8].copy_from_slice(&lie.to_le_bytes());
                let checksum = crc32fast::hash(&lying).to_le_bytes();
                // What is no length is read as what it is.
                let _ = Knowledge::read(&[&lying[..], &checksum].concat(), IDENTITY);
            }
        }
        let more = [body, b"more"].concat();
        let checksum = crc32fast::hash(&more).to_le_bytes();
        let why = Knowledge::read(&[&more[..], &checksum].concat(), IDENTITY);
        assert_eq!(why, Err("4 bytes stand behind their end".into()));
    }

    #[test]
    fn another_identity_is_named() {
        let bytes = known().to_bytes(IDENTITY);
        let why = Knowledge::read(&bytes, "treefold 1\na driver\nbuild 8");
        assert_eq!(why, Err("they are of \"build 7\", and this is \"build 8\"".into()));
        assert!(Knowledge::read(&bytes, "treefold 1\na driver").is_err());
    }

    /// The numbers that FNV's authors publish; parts tell apart.
    #[test]
    fn digests_are_fixed() {
        let of = |bytes: &[u8]| Digest::new().behind(bytes).number();
        assert_eq!(of(b""), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(of(b"a"), 0xd228cb696f1a8caf78912b704e4a8964);
        assert_eq!(of(b"foobar"), 0x343e1662793c64bf6f0d3597ba446f18);
        let of = |parts: &[&[u8]]| parts.iter().copied().fold(Digest::new(), Digest::and).number();
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[b"a", b""]), of(&[b"a"]));
    }
}
