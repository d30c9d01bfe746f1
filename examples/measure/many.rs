//! Inputs of many answers: axes, segments, runs of equal keys, groups by key; and whether what is recorded of them is right.

use super::Outcome;
use super::data::{fill, zeros};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Axes, ByKey, Cpu, Element, Gpu, Input, Op, Output, Prepared, Reducer};

/// An input of many answers.
pub enum Many {
    /// Axes of an array of this shape.
    Axes(Axes, Vec<u64>),
    /// Segments by offsets.
    Segments { kind: String, offsets: Vec<u32>, there: wgpu::Buffer },
    /// Runs of equal keys, which begin at offsets; with room for their keys and their number.
    Runs { kind: String, offsets: Vec<u32>, keys: wgpu::Buffer, found: wgpu::Buffer, number: wgpu::Buffer },
    /// Groups by keys that are not sorted.
    Groups { kind: String, groups: u64, keys: Vec<u32>, there: wgpu::Buffer },
    /// As many elements as a word says: all of them.
    Counted { count: wgpu::Buffer },
}

impl Many {
    pub fn segments(gpu: &Gpu, n: u64, kind: &str) -> Outcome<Many> {
        let offsets = offsets(n, kind)?;
        let there = fill(gpu, &offsets, offsets.len() as u64);
        Ok(Many::Segments { kind: kind.into(), offsets, there })
    }

    pub fn runs(gpu: &Gpu, n: u64, kind: &str) -> Outcome<Many> {
        let offsets = offsets(n, kind)?;
        // A block of some whole runs again and again; of runs of several lengths, all of them.
        let block = match kind.parse::<u32>() {
            Ok(length) => (RUNS_OF_A_BLOCK as u32 * length).min(n as u32),
            Err(_) => n as u32,
        };
        let mut all = Vec::with_capacity(block as usize);
        for (run, pair) in offsets.windows(2).enumerate().take_while(|(_, pair)| pair[0] < block) {
            all.resize(pair[1] as usize, key(run));
        }
        let keys = fill(gpu, &all, n);
        let (found, number) = (zeros(gpu, offsets.len() as u64), zeros(gpu, 1));
        Ok(Many::Runs { kind: kind.into(), offsets, keys, found, number })
    }

    pub fn groups(gpu: &Gpu, n: u64, kind: &str) -> Outcome<Many> {
        let groups: u64 = kind.parse()?;
        let mut random = random();
        let keys: Vec<u32> = (0..n).map(|_| (random() * groups as f64) as u32).collect();
        let there = fill(gpu, &keys, n);
        Ok(Many::Groups { kind: kind.into(), groups, keys, there })
    }

    pub fn counted(gpu: &Gpu, n: u64) -> Many {
        Many::Counted { count: fill(gpu, &[n as u32], 1) }
    }

    pub fn answers(&self) -> u64 {
        match self {
            Many::Axes(axes, _) => axes.answers(),
            Many::Segments { offsets, .. } | Many::Runs { offsets, .. } => offsets.len() as u64 - 1,
            Many::Groups { groups, .. } => *groups,
            Many::Counted { .. } => 1,
        }
    }

    /// Its JSON members in a figure's line.
    pub fn shown(&self, axes: &[i64]) -> String {
        match self {
            Many::Axes(_, shape) => format!("\"shape\":{shape:?},\"axes\":{axes:?},"),
            Many::Segments { kind, .. } => format!("\"segments\":\"{kind}\","),
            Many::Runs { kind, .. } => format!("\"runs\":\"{kind}\","),
            Many::Groups { kind, .. } => format!("\"by_key\":\"{kind}\","),
            Many::Counted { .. } => "\"counted\":true,".into(),
        }
    }

    /// Makes ready its answers over an input, without count words.
    pub fn prepare<T: Element, O: Op<T>>(
        &self,
        reducer: &Reducer<T, O>,
        input: Input<'_, T>,
        output: &wgpu::Buffer,
    ) -> treefold::Result<Prepared> {
        let answers = Output::bare(output);
        let each = match self {
            Many::Axes(axes, _) => input.over(axes.clone()),
            Many::Segments { there, .. } => input.segments(there),
            Many::Groups { there, groups, .. } => input.groups(there, *groups),
            Many::Counted { count } => input.counted(count),
            Many::Runs { keys, found, number, .. } => {
                let to = ByKey { answers, keys: found.into(), number: number.into() };
                return reducer.prepare_by_key(Input::<u32>::from(keys), input, to);
            }
        };
        reducer.prepare_each(each, answers)
    }

    /// Whether some of the recorded answers are those of the CPU engine.
    pub fn right<T: Element, O: Op<T>>(
        &self,
        gpu: &Gpu,
        reducer: &Reducer<T, O>,
        output: &wgpu::Buffer,
        host: &[T],
    ) -> Outcome<bool> {
        let (op, words, cpu) = (reducer.op(), reducer.answer_words(), Cpu::new());
        let found = download(gpu, output)?;
        let read = |at: usize, n: usize| op.read(&found[at * words..][..words], n as u64);
        match self {
            Many::Axes(axes, _) => {
                let want = cpu.reduce_axes(op.clone(), host, axes)?;
                let length = axes.length() as usize;
                // Of the elements of an answer only their number and size count where a tolerance is asked for.
                let elements = &host[..length.min(host.len())];
                let some = (0..want.len()).step_by((want.len() / 100).max(1)).chain([want.len() - 1]);
                some.into_iter()
                    .try_fold(true, |right, at| Ok(right && op.close(&read(at, length)?, &want[at], elements, true)))
            }
            Many::Segments { offsets, .. } | Many::Runs { offsets, .. } => {
                if let Many::Runs { number, found, .. } = self {
                    let (number, keys) = (download(gpu, number)?, download(gpu, found)?);
                    if number[0] as usize != offsets.len() - 1
                        || !keys[..offsets.len() - 1].iter().enumerate().all(|(run, &found)| found == key(run))
                    {
                        eprintln!("{} runs of {}, or their keys", number[0], offsets.len() - 1);
                        return Ok(false);
                    }
                }
                let segments = (offsets.len() - 1).min(found.len() / words);
                for at in (0..segments).step_by((segments / 1000).max(1)).chain([segments - 1]) {
                    let elements = &host[offsets[at] as usize..offsets[at + 1] as usize];
                    let got = read(at, elements.len())?;
                    if !op.close(&got, &cpu.reduce(op.clone(), elements)?, elements, true) {
                        eprintln!("segment {at}: {got:?}");
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Many::Groups { groups, keys, .. } => {
                let want = cpu.reduce_groups(op.clone(), keys, host, *groups)?;
                for (at, (answer, &count)) in want.answers.iter().zip(&want.counts).enumerate() {
                    let got = read(at, count as usize)?;
                    if !op.close(&got, answer, &host[..count as usize], true) {
                        eprintln!("group {at}: {got:?}, want {answer:?}");
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Many::Counted { .. } => Ok(op.close(&read(0, host.len())?, &cpu.reduce(op.clone(), host)?, host, true)),
        }
    }
}

/// Runs after which keys begin again.
const RUNS_OF_A_BLOCK: usize = 1 << 12;

/// The key of a run.
fn key(run: usize) -> u32 {
    ((run % RUNS_OF_A_BLOCK) as u32).wrapping_mul(0x9e37_79b1)
}

/// Numbers in [0, 1), always the same.
fn random() -> impl FnMut() -> f64 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Offsets of segments of `N` elements, or of 1 to N by `mixN`.
fn offsets(n: u64, kind: &str) -> Outcome<Vec<u32>> {
    let most: u64 = kind.trim_start_matches("mix").parse()?;
    let mut random = random();
    let mut length = || if kind.starts_with("mix") { ((most as f64).powf(random()) as u64).max(1) } else { most };
    let mut offsets = vec![0u32];
    let mut at = 0;
    while at < n {
        at = (at + length()).min(n);
        offsets.push(at as u32);
    }
    Ok(offsets)
}

/// The words at the front of a buffer.
fn download(gpu: &Gpu, from: &wgpu::Buffer) -> Outcome<Vec<u32>> {
    let (device, queue) = (gpu.device(), gpu.queue());
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let size = from.size().min(1 << 28);
    let there = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(from, 0, &there, 0, size);
    queue.submit([encoder.finish()]);
    there.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let view = there.get_mapped_range(..)?;
    Ok(bytemuck::cast_slice(&view).to_vec())
}
