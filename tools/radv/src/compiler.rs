//! A Vulkan device that only compiles.

use crate::{Result, Statistics};
use ash::khr::pipeline_executable_properties as executables;
use ash::vk;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::time::Instant;

/// The driver, opened.
pub struct Compiler {
    /// The loader must outlive what it loaded.
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    executables: executables::Device,
}

impl Compiler {
    /// Opens the GPU of this family, which the environment must have asked for.
    ///
    /// # Errors
    /// Another GPU than this, or none.
    pub fn open(family: &str) -> Result<Compiler> {
        // SAFETY: the loader is the system's; every structure outlives the call that it is passed to.
        unsafe {
            let entry = ash::Entry::load()?;
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let instance = entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&app), None)?;
            match Self::device(&instance, family) {
                Ok(device) => {
                    let executables = executables::Device::new(&instance, &device);
                    Ok(Compiler { _entry: entry, instance, device, executables })
                }
                Err(error) => {
                    instance.destroy_instance(None);
                    Err(error)
                }
            }
        }
    }

    unsafe fn device(instance: &ash::Instance, family: &str) -> Result<ash::Device> {
        // SAFETY: as above.
        unsafe {
            let mut names = Vec::new();
            for physical in instance.enumerate_physical_devices()? {
                let properties = instance.get_physical_device_properties(physical);
                let name = properties.device_name_as_c_str()?.to_string_lossy().into_owned();
                if !name.to_lowercase().contains(family) {
                    names.push(name);
                    continue;
                }
                let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
                let extensions = [executables::NAME.as_ptr()];
                let features = vk::PhysicalDeviceFeatures::default().shader_int64(true).shader_float64(true);
                let mut memory = vk::PhysicalDeviceVulkanMemoryModelFeatures::default().vulkan_memory_model(true);
                let mut lanes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default().subgroup_size_control(true);
                let mut told =
                    vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
                let info = vk::DeviceCreateInfo::default()
                    .queue_create_infos(&queues)
                    .enabled_extension_names(&extensions)
                    .enabled_features(&features)
                    .push_next(&mut memory)
                    .push_next(&mut lanes)
                    .push_next(&mut told);
                return Ok(instance.create_device(physical, &info, None)?);
            }
            Err(format!("no {family}, only {names:?}").into())
        }
    }

    /// Compiles a text and asks what it takes.
    ///
    /// # Errors
    /// An error of naga or of the driver.
    pub fn compile(&self, wgsl: &str) -> Result<Statistics> {
        let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
        let words = spir_v(wgsl, &module)?;
        let mut made = Made::of(self);
        // SAFETY: the words are valid SPIR-V, and all handles are this device's.
        unsafe { made.statistics(&words, &module) }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // SAFETY: nothing that was made of them is left.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// As wgpu translates for Vulkan 1.3 with robustBufferAccess2, and as the library asks it to.
fn spir_v(wgsl: &str, module: &naga::Module) -> Result<Vec<u32>> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(module).map_err(|error| error.emit_to_string(wgsl))?;
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: BoundsCheckPolicy::Unchecked,
            image_load: BoundsCheckPolicy::Unchecked,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ..Default::default()
    };
    Ok(spv::write_vec(module, &info, &options, None)?)
}

/// Objects of the device that one text needs, destroyed behind it.
struct Made<'a> {
    compiler: &'a Compiler,
    shader: vk::ShaderModule,
    bindings: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl<'a> Made<'a> {
    fn of(compiler: &'a Compiler) -> Self {
        Made {
            compiler,
            shader: vk::ShaderModule::null(),
            bindings: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pipeline: vk::Pipeline::null(),
        }
    }

    unsafe fn statistics(&mut self, words: &[u32], module: &naga::Module) -> Result<Statistics> {
        let device = &self.compiler.device;
        // SAFETY: the caller's.
        unsafe {
            self.shader = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)?;
            let bindings: Vec<_> = bindings(module).collect();
            let bindings = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            self.bindings = device.create_descriptor_set_layout(&bindings, None)?;
            let layouts = [self.bindings];
            let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            self.layout = device.create_pipeline_layout(&layout, None)?;

            let stage = vk::PipelineShaderStageCreateInfo::default()
                .flags(vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE)
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(self.shader)
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
                .layout(self.layout)
                .stage(stage);
            let begun = Instant::now();
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let compile_ms = begun.elapsed().as_secs_f64() * 1e3;
            self.pipeline = *made.map_err(|(_, error)| error)?.first().ok_or("no pipeline")?;

            let executable = vk::PipelineExecutableInfoKHR::default().pipeline(self.pipeline).executable_index(0);
            let told = self.compiler.executables.get_pipeline_executable_statistics(&executable)?;
            let number = |name: &str| -> Result<u64> {
                let named = |one: &&vk::PipelineExecutableStatisticKHR| {
                    one.name_as_c_str().is_ok_and(|told| told.to_bytes() == name.as_bytes())
                };
                let one = told.iter().find(named).ok_or_else(|| format!("the driver does not tell: {name}"))?;
                Ok(one.value.u64)
            };
            Ok(Statistics {
                vgprs: number("VGPRs")?,
                sgprs: number("SGPRs")?,
                spilled_vgprs: number("Spilled VGPRs")?,
                spilled_sgprs: number("Spilled SGPRs")?,
                scratch_bytes: number("Scratch size")?,
                lds_bytes: number("LDS size")?,
                waves: number("Subgroups per SIMD")?,
                code_bytes: number("Code size")?,
                compile_ms,
            })
        }
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        let device = &self.compiler.device;
        // SAFETY: nothing runs, and a null handle may be destroyed.
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.bindings, None);
            device.destroy_shader_module(self.shader, None);
        }
    }
}

/// The bindings of bind group 0.
fn bindings(module: &naga::Module) -> impl Iterator<Item = vk::DescriptorSetLayoutBinding<'_>> {
    module.global_variables.iter().filter_map(|(_, global)| {
        let kind = match global.space {
            naga::AddressSpace::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
            naga::AddressSpace::Handle => vk::DescriptorType::SAMPLED_IMAGE,
            _ => vk::DescriptorType::STORAGE_BUFFER,
        };
        let binding = vk::DescriptorSetLayoutBinding::default()
            .binding(global.binding.as_ref()?.binding)
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE);
        Some(binding)
    })
}
