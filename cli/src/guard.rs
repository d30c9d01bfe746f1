//! A range of a file as memory, whatever becomes of the file.
//!
//! Where another process cuts a mapped file, or its disk fails, the system sends whoever touches the lost pages a SIGBUS, which
//! ends a program. Here its handler puts pages of zeros in their place and notes that the window is torn.

use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A mapped range of a file.
pub struct Window {
    map: Mmap,
    place: &'static GuardPlace,
}

/// The place of a window in memory; the handler can only look at what is there all the time.
struct GuardPlace {
    taken: AtomicBool,
    begin: AtomicUsize,
    end: AtomicUsize,
    torn: AtomicBool,
}

/// More than are open at once: one for each input of a pair.
static PLACES: [GuardPlace; 4] = [const {
    GuardPlace {
        taken: AtomicBool::new(false),
        begin: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        torn: AtomicBool::new(false),
    }
}; 4];

impl Window {
    /// Maps so many bytes of the file, to be read from the first to the last.
    pub fn of(file: &File, begin: u64, length: usize) -> Result<Window> {
        #[cfg(unix)]
        bus::watch()?;
        // SAFETY: the map is only read, as plain numbers. What another process writes meanwhile changes the answer, which the
        // file's time of modification shows; what it cuts off becomes zeros, which `is_torn` shows.
        let map = unsafe { MmapOptions::new().offset(begin).len(length).map(file) }?;
        #[cfg(unix)]
        map.advise(memmap2::Advice::Sequential).unwrap_or_else(|error| log::debug!("madvise: {error}"));
        let free = PLACES.iter().find(|place| !place.taken.swap(true, Ordering::AcqRel));
        let place = free.ok_or_else(|| Error::other("too many windows at once"))?;
        place.torn.store(false, Ordering::Release);
        place.begin.store(map.as_ptr() as usize, Ordering::Release);
        place.end.store(map.as_ptr() as usize + length, Ordering::Release);
        Ok(Window { map, place })
    }

    /// The bytes of the file, or zeros from where it was torn.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Whether bytes that were looked at are not the file's.
    pub fn is_torn(&self) -> bool {
        self.place.torn.load(Ordering::Acquire)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.place.end.store(0, Ordering::Release);
        self.place.taken.store(false, Ordering::Release);
    }
}

#[cfg(unix)]
mod bus {
    use super::{Ordering, PLACES};
    use std::io::{Error, Result};
    use std::mem::MaybeUninit;
    use std::ptr::{null, null_mut};
    use std::sync::OnceLock;
    use std::sync::atomic::AtomicUsize;

    static PAGE: AtomicUsize = AtomicUsize::new(0);
    /// The action of a SIGBUS before; of use to whoever gets one elsewhere.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    /// Installs the handler, once.
    pub fn watch() -> Result<()> {
        static WATCHED: OnceLock<Option<i32>> = OnceLock::new();
        let failed = WATCHED.get_or_init(|| install().err().map(|error| error.raw_os_error().unwrap_or(0)));
        failed.map_or(Ok(()), |code| Err(Error::from_raw_os_error(code)))
    }

    fn install() -> Result<()> {
        // SAFETY: calls of the system as its manual has them; all zero is a sigaction without flags and mask.
        unsafe {
            PAGE.store(libc::sysconf(libc::_SC_PAGESIZE) as usize, Ordering::Release);
            let mut before = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            if libc::sigaction(libc::SIGBUS, null(), &mut before) != 0 {
                return Err(Error::last_os_error());
            }
            BEFORE.get_or_init(|| before);
            let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = mend;
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            if libc::sigaction(libc::SIGBUS, &action, null_mut()) != 0 {
                return Err(Error::last_os_error());
            }
        }
        Ok(())
    }

    /// Puts zeros where a window is torn; anything else is left to who was there before. Only atomics and calls of the system,
    /// as a handler must.
    extern "C" fn mend(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the system hands over a valid siginfo_t, and a SIGBUS has an address.
        let at = unsafe { (*info).si_addr() } as usize;
        let page = PAGE.load(Ordering::Acquire);
        for place in &PLACES {
            let (begin, end) = (place.begin.load(Ordering::Acquire), place.end.load(Ordering::Acquire));
            if begin <= at && at < end {
                let from = at / page * page;
                let length = end.next_multiple_of(page) - from;
                let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED);
                // SAFETY: the pages are those of a window, which is taken and only read; their bytes are gone.
                let mended = unsafe { libc::mmap(from as *mut libc::c_void, length, protection, flags, -1, 0) };
                place.torn.store(true, Ordering::Release);
                if mended != libc::MAP_FAILED {
                    return;
                }
            }
        }
        // The instruction runs again, and whoever was there before is asked.
        if let Some(before) = BEFORE.get() {
            // SAFETY: what sigaction itself gave.
            unsafe { libc::sigaction(libc::SIGBUS, before, null_mut()) };
        }
    }
}
