//! Pipelines: their keys, the layouts of their bindings, and the caches that keep them.

use super::context::{Context, lock};
use crate::element::Dtype;
use crate::error::{Error, Result};
use crate::op::{FoldKey, Keep, Text};
use crate::plan::{Bounds, Kernel, Rows, Variant, Walk};
use std::sync::Arc;
use web_time::Instant;
use wgpu::{BindingType, BufferBindingType, ShaderStages, TextureSampleType, TextureViewDimension};

/// The identity of a shader: the operator's texts, and the variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    pub texts: Arc<Texts>,
    pub variant: Variant,
}

/// All that an operator's texts depend on: folds and their [`Keep`], answers where the text has them, words of parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Texts {
    pub folds: Vec<FoldKey>,
    pub keep: Keep,
    pub answers: Vec<(Vec<usize>, Text)>,
    pub tail_words: usize,
    pub unpacks: bool,
}

/// The bindings of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    reads: bool,
    table: bool,
    carries: bool,
    count: bool,
    /// The type of the texels' numbers, where a texture is bound instead of an input's bytes.
    texels: Option<Dtype>,
}

/// The types that texels' numbers may have.
pub(super) const TEXELS: [Dtype; 3] = [Dtype::F32, Dtype::U32, Dtype::I32];

impl Layout {
    /// The same with a texture, for elements of a type.
    pub fn of_texels(self, dtype: Dtype) -> Layout {
        let number = if dtype == Dtype::F32x4 { Dtype::F32 } else { dtype };
        Layout { texels: Some(number), ..self }
    }

    pub fn of(kernel: Kernel, rows: Rows, table: bool) -> Layout {
        let (reads, carries) = (kernel.reads(), matches!(kernel, Kernel::Segments { .. }));
        match rows {
            // Offsets are where others have tables.
            Rows::Segments(by) if carries || kernel == Kernel::Carry => {
                Layout { reads, table: by.offsets(), carries, count: by.counted(), texels: None }
            }
            // And what they have in all.
            Rows::Groups => {
                let by_key = kernel.reads();
                Layout {
                    reads,
                    table: matches!(kernel, Kernel::Combine { .. }),
                    carries: by_key,
                    count: by_key,
                    texels: None,
                }
            }
            _ => Layout { reads, table: table && reads, carries, count: false, texels: None },
        }
    }

    /// Bindings that a group must have room for: they are counted from 0.
    pub fn bindings(self) -> u32 {
        match self {
            Layout { count: true, .. } => 7,
            Layout { carries: true, .. } => 6,
            Layout { table: true, .. } => 5,
            _ => 4,
        }
    }

    pub fn buffers(self) -> u32 {
        [self.reads, self.table, self.carries, self.count].into_iter().map(u32::from).sum::<u32>() + 2
    }
}

impl Context {
    pub fn bind_group_layout(&self, layout: Layout) -> Option<&wgpu::BindGroupLayout> {
        self.layouts.get(&layout).map(|(bind_group, _)| bind_group)
    }

    /// Whether the device has the bindings that segments by offsets take.
    pub fn takes_segments(&self) -> bool {
        let rows = Rows::Segments(Bounds::Offsets);
        self.layouts.contains_key(&Layout::of(Kernel::Segments { walk: Walk::Serial }, rows, true))
    }

    /// The pipeline of a shader, where it was made before.
    pub fn kept_pipeline(&self, key: &PipelineKey) -> Option<wgpu::ComputePipeline> {
        lock(&self.pipelines).get(key).cloned()
    }

    /// Number of pipelines that were made.
    pub fn pipelines_made(&self) -> usize {
        lock(&self.pipelines).len()
    }

    /// The pipeline of a shader, from the cache where it was made before; else from the text that `source` gives. It is
    /// compiled outside the lock, so that threads compile side by side. `unguarded`: without guards against endless loops.
    pub fn pipeline(
        &self,
        key: PipelineKey,
        layout: Layout,
        unguarded: bool,
        source: impl FnOnce() -> Result<String>,
    ) -> Result<wgpu::ComputePipeline> {
        if let Some(pipeline) = self.kept_pipeline(&key) {
            return Ok(pipeline);
        }
        let (source, changed) = self.patched(source()?);
        let label = match key.variant.kernel {
            Kernel::Reduce => "treefold: reduce",
            Kernel::Columns { .. } => "treefold: columns",
            Kernel::Combine { .. } => "treefold: combine",
            Kernel::Segments { .. } => "treefold: segments",
            Kernel::Carry => "treefold: carry",
            Kernel::Groups { .. } => "treefold: groups",
            Kernel::Clear => "treefold: clear",
            Kernel::Finish => "treefold: finish",
        };
        let mut checks = wgpu::ShaderRuntimeChecks::checked();
        checks.force_loop_bounding = !unguarded || changed;
        let (kind, layout) = (layout, self.layouts.get(&layout).map(|(_, pipeline)| pipeline));
        if layout.is_none() {
            let (bindings, buffers) =
                (self.device.limits().max_bindings_per_bind_group, self.limits.storage_buffers_max);
            let (limit, value, needs) = match kind {
                _ if bindings < kind.bindings() => ("max_bindings_per_bind_group", bindings, kind.bindings()),
                _ if buffers < kind.buffers() => ("max_storage_buffers_per_shader_stage", buffers, kind.buffers()),
                _ => ("max_sampled_textures_per_shader_stage", 0, 1),
            };
            return Err(Error::LimitTooSmall { limit, value: value.into(), needs: needs.into() });
        }
        let begun = Instant::now();
        // SAFETY: every other check stays, and every loop of such a text counts to a bound that the plan gives, whatever other kernels left.
        let pipeline = unsafe { self.compile(label, layout, &source, checks) }?;
        let (took, bytes, variant) = (begun.elapsed(), source.len(), &key.variant);
        log::debug!("{label}, {:?}, {:?}: {bytes} bytes of WGSL compiled in {took:?}", variant.store, variant.rows);
        Ok(lock(&self.pipelines).entry(key).or_insert(pipeline).clone())
    }

    /// The pipeline of one of this crate's texts that depends on no operator, its layout that of the text, from the cache where it
    /// was made before. `ends`: every loop counts to a bound that the plan gives, whatever other kernels left; guards against endless loops
    /// keep compilers from unrolling (an H200, `treefold bench 'top(100)' --shape 1024x65536 --axis 1 --adapter 0`: 184 µs, 151 without).
    pub fn pipeline_of_text(&self, label: &str, text: String, ends: bool) -> Result<wgpu::ComputePipeline> {
        if let Some(pipeline) = lock(&self.others).get(&text) {
            return Ok(pipeline.clone());
        }
        let (source, changed) = self.patched(text.clone());
        let mut checks = wgpu::ShaderRuntimeChecks::checked();
        checks.force_loop_bounding = !ends || changed;
        // SAFETY: every other check stays, and every loop of such a text counts to a bound that the plan gives, whatever other kernels left.
        let pipeline = unsafe { self.compile(label, None, &source, checks) }?;
        Ok(lock(&self.others).entry(text).or_insert(pipeline).clone())
    }

    /// The text as a test has it patched, and whether that changes it; then it may do what the plan does not know of.
    fn patched(&self, text: String) -> (String, bool) {
        let Some(patch) = &self.patch else { return (text, false) };
        let patched = patch(text.clone());
        let changed = patched != text;
        (patched, changed)
    }

    /// The pipeline of the text whose entry is `main`, compiled with these checks and workgroup memory as it is found.
    ///
    /// # Safety
    /// The text must do nothing that a check left out would have caught.
    pub unsafe fn compile(
        &self,
        label: &str,
        layout: Option<&wgpu::PipelineLayout>,
        text: &str,
        checks: wgpu::ShaderRuntimeChecks,
    ) -> Result<wgpu::ComputePipeline> {
        let cache = self.pipelines_kept();
        self.guarded("a compute pipeline", 0, || {
            let source = wgpu::ShaderSource::Wgsl(text.into());
            let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source };
            // SAFETY: what the caller promises.
            let module = unsafe { self.device.create_shader_module_trusted(descriptor, checks) };
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(label),
                layout,
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: cache.as_ref(),
            })
        })
    }
}

pub(super) fn bind_group_layout(
    device: &wgpu::Device,
    layout: Layout,
) -> (wgpu::BindGroupLayout, wgpu::PipelineLayout) {
    let entry = |binding: u32, ty: BufferBindingType| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let read = BufferBindingType::Storage { read_only: true };
    let sampled = |dtype: Dtype| BindingType::Texture {
        sample_type: match dtype {
            Dtype::U32 => TextureSampleType::Uint,
            Dtype::I32 => TextureSampleType::Sint,
            _ => TextureSampleType::Float { filterable: false },
        },
        view_dimension: TextureViewDimension::D2,
        multisampled: false,
    };
    let texture = layout.texels.map(|dtype| wgpu::BindGroupLayoutEntry { ty: sampled(dtype), ..entry(0, read) });
    let mut entries = vec![
        texture.unwrap_or(entry(0, read)),
        entry(2, BufferBindingType::Uniform),
        entry(3, BufferBindingType::Storage { read_only: false }),
    ];
    entries.extend((layout.reads && layout.texels.is_none()).then(|| entry(1, read)));
    entries.extend(layout.table.then(|| entry(4, read)));
    entries.extend(layout.count.then(|| entry(6, read)));
    entries.extend(layout.carries.then(|| entry(5, BufferBindingType::Storage { read_only: false })));
    let bind_group = device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("treefold"), entries: &entries });
    let pipeline = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("treefold"),
        bind_group_layouts: &[Some(&bind_group)],
        immediate_size: 0,
    });
    (bind_group, pipeline)
}
