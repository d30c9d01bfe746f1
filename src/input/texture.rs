//! Texels of 2-d textures as elements, row by row.

use super::{Input, Origin};
use crate::element::{Dtype, Element, Word};
use crate::error::{Error, Result};
use wgpu::{
    TextureAspect, TextureDimension, TextureFormat, TextureSampleType, TextureUsages, TextureViewDescriptor,
    TextureViewDimension,
};

/// Texels of one input at most: as many as 32,768 rows of 32,768.
const TEXELS_MAX: u64 = 1 << 30;

/// The number of a texel that is an element.
///
/// Numbers are what a shader's `textureLoad` gives: those of unorm formats lie in 0..=1, those of sRGB formats are linear, a depth is the
/// red channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Channel {
    /// The first number, red.
    R,
    /// The second number, green.
    G,
    /// The third number, blue.
    B,
    /// The fourth number, alpha.
    A,
    /// The sum of red, green, blue and alpha times these weights, in f32, rounded as the device does. A number whose weight is 0 does not
    /// count, whatever it is. Other weights cost nothing: they are parameters, and no shader compiles anew.
    Weighted([f32; 4]),
}

impl Channel {
    /// The luminance of linear colours with the primaries of sRGB (ITU-R BT.709), as a weighted sum.
    pub const LUMINANCE: Channel = Channel::Weighted([0.2126, 0.7152, 0.0722, 0.0]);

    /// The highest number of a texel that it reads, and its name.
    fn last(self) -> (u8, &'static str) {
        match self {
            Channel::R => (0, "R"),
            Channel::G => (1, "G"),
            Channel::B => (2, "B"),
            Channel::A => (3, "A"),
            Channel::Weighted(weights) => {
                let last = weights.iter().rposition(|&weight| weight != 0.0).unwrap_or(0);
                [Channel::R, Channel::G, Channel::B, Channel::A][last].last()
            }
        }
    }
}

/// The element that is made of a texel: what a shader's text knows of a [`Channel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Texel {
    /// All of it.
    Whole,
    /// One of its four numbers.
    Number(u8),
    /// The sum of its numbers times weights.
    Weighted,
}

/// Texels as plain data, for a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Texels of a row.
    pub width: u32,
    /// The element that is made of each texel.
    pub texel: Texel,
    /// The bits of the weights, where there are any.
    pub weights: [u32; 4],
}

/// One level of one layer of a texture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texels<'a> {
    texture: &'a wgpu::Texture,
    format: Option<TextureFormat>,
    aspect: TextureAspect,
    level: u32,
    layer: u32,
    pub grid: Grid,
}

impl<'a, T: Word> Input<'a, T> {
    /// The texels of a 2-d texture of one level or the first of several, row by row: the element at (x, y) is the n-th, n = y · width + x,
    /// which is its position too. Nothing is copied. `T` is what the texels are: f32 for float, unorm, snorm and depth formats, u32 for
    /// uint, i32 for sint.
    ///
    /// The texture needs [`wgpu::TextureUsages::TEXTURE_BINDING`] and must be of the device that reduces it. It is reduced whole, alone or
    /// among what is [concatenated](Input::concat): rows, axes, segments and pairs are of buffers. Its kernels compile when they are first
    /// asked for, so [`Reducer::prepare`](crate::Reducer::prepare) before the first frame.
    ///
    /// Numbers come as the device loads them: it may flush subnormals, and what an f32 format holds of a NaN may change its bits.
    ///
    /// ```no_run
    /// # fn f(device: wgpu::Device, queue: wgpu::Queue, encoder: &mut wgpu::CommandEncoder, hdr: wgpu::Texture, answer: wgpu::Buffer) -> treefold::Result<()> {
    /// use treefold::{Channel, Input, Reducer, ops::FastMean};
    /// let mean = Reducer::<f32, _>::new(&device, &queue, FastMean)?;
    /// mean.record(encoder, Input::texture(&hdr, Channel::LUMINANCE)?, &answer)?; // for the shader that sets the exposure
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::MissingUsage`]; [`Error::TextureKind`] where `T` is not what the texels are; [`Error::NoSuchChannel`];
    /// [`Error::BadTexture`] of textures that are not 2-d, have several layers or samples, combine depth and stencil, or have more than 2^30 texels,
    /// and of weights over integers.
    pub fn texture(texture: &'a wgpu::Texture, channel: Channel) -> Result<Self> {
        Self::texture_view(texture, &TextureViewDescriptor::default(), channel)
    }

    /// The same of a view of a texture: of the level `base_mip_level`, the layer `base_array_layer`, an `aspect`, or in another `format`. The view
    /// itself is made when it is read, so that a descriptor stands here. Of a texture with several layers, a `dimension` of `D2` or an
    /// `array_layer_count` of 1 says that one of them is meant.
    ///
    /// ```no_run
    /// # fn f(shadows: &wgpu::Texture, nearest: &treefold::Reducer<f32, treefold::ops::Min>) -> treefold::Result<()> {
    /// use treefold::{Channel, Input, wgpu::TextureViewDescriptor};
    /// let second = TextureViewDescriptor { base_array_layer: 1, array_layer_count: Some(1), ..Default::default() };
    /// let depth: Option<f32> = nearest.reduce(Input::texture_view(shadows, &second, Channel::R)?)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As for [`Input::texture`]; [`Error::NoSuchLevel`].
    pub fn texture_view(
        texture: &'a wgpu::Texture,
        view: &TextureViewDescriptor<'_>,
        channel: Channel,
    ) -> Result<Self> {
        Ok(Self::of_texels(Texels::new(texture, view, T::DTYPE, Some(channel))?))
    }
}

impl<'a> Input<'a, [f32; 4]> {
    /// The whole texels of a 2-d texture, row by row as for [`Input::texture`]: red, green, blue and alpha of each, read at once, for an
    /// operator over all of them. T is `[f32; 4]`; the texture is of a float, unorm or snorm format. Of a format with fewer channels, the others
    /// are 0, and alpha is 1.
    ///
    /// In WGSL an element is a `vec4<u32>`, `bits`, and `value(bits)` the `vec4<f32>`; [`Cpu::reduce`](crate::Cpu::reduce) over the
    /// texels as a slice is the same on the host:
    ///
    /// ```
    /// use treefold::{Cpu, DeviceAnswer, Fold, Input, Op, Reducer, Wgsl, WordType, wgpu};
    ///
    /// /// The largest luminance of what is opaque; 0 where nothing is.
    /// #[derive(Clone, Debug)]
    /// struct Brightest;
    ///
    /// impl Fold<[f32; 4]> for Brightest {
    ///     type Acc = f32;
    ///     fn identity(&self) -> f32 { 0.0 }
    ///     fn lift(&self, [r, g, b, a]: [f32; 4], _: u64) -> f32 {
    ///         if a < 0.5 { 0.0 } else { 0.2126 * r + 0.7152 * g + 0.0722 * b }
    ///     }
    ///     fn combine(&self, a: f32, b: f32) -> f32 { a.max(b) }
    ///     fn wgsl(&self) -> Wgsl {
    ///         let lift = "let texel = value(bits);
    /// return select(dot(texel.rgb, vec3<f32>(0.2126, 0.7152, 0.0722)), 0.0, texel.a < 0.5);";
    ///         Wgsl::new("return 0.0;", lift, "return max(a, b);")
    ///     }
    /// }
    /// impl Op<[f32; 4]> for Brightest {
    ///     type Fold = Brightest;
    ///     type Output = f32;
    ///     const NAME: &'static str = "brightest";
    ///     fn fold(&self) -> Brightest { Brightest }
    ///     fn finish(&self, acc: f32, _: u64) -> treefold::Result<f32> { Ok(acc) }
    ///     fn answer(&self) -> Option<DeviceAnswer> {
    ///         Some(DeviceAnswer::new([("brightest", WordType::F32)], "return array<u32, 1>(bitcast<u32>(acc));"))
    ///     }
    /// }
    ///
    /// // Once: let brightest = Reducer::<[f32; 4], _>::new(&device, &queue, Brightest)?;
    /// fn frame(brightest: &Reducer<[f32; 4], Brightest>, encoder: &mut wgpu::CommandEncoder, hdr: &wgpu::Texture, answer: &wgpu::Buffer) -> treefold::Result<()> {
    ///     brightest.record(encoder, Input::texels(hdr)?, answer)
    /// }
    ///
    /// assert_eq!(Cpu::new().reduce(Brightest, &[[0.0, 1.0, 0.0, 1.0], [9.0, 9.0, 9.0, 0.0]])?, 0.7152);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Input::texture`]; [`Error::TextureKind`] of integers, [`Error::BadTexture`] of depths, which have one number.
    pub fn texels(texture: &'a wgpu::Texture) -> Result<Self> {
        Self::texels_view(texture, &TextureViewDescriptor::default())
    }

    /// The same of a view, which says what [`Input::texture_view`] does.
    ///
    /// # Errors
    /// As for [`Input::texels`]; [`Error::NoSuchLevel`].
    pub fn texels_view(texture: &'a wgpu::Texture, view: &TextureViewDescriptor<'_>) -> Result<Self> {
        Ok(Self::of_texels(Texels::new(texture, view, Dtype::F32x4, None)?))
    }
}

impl<'a, T: Element> Input<'a, T> {
    /// As if its elements stood in a buffer.
    fn of_texels(texels: Texels<'a>) -> Self {
        Self::of(vec![(Origin::Texture(texels), 0..texels.elements() * T::DTYPE.bytes())], Vec::new(), T::DTYPE.bytes())
    }
}

impl<'a> Texels<'a> {
    fn new(
        texture: &'a wgpu::Texture,
        view: &TextureViewDescriptor<'_>,
        dtype: Dtype,
        channel: Option<Channel>,
    ) -> Result<Self> {
        let (level, layer) = (view.base_mip_level, view.base_array_layer);
        let format = view.format.unwrap_or(texture.format());
        flat(texture, view)?;
        let usage = view.usage.unwrap_or(texture.usage());
        if !usage.contains(TextureUsages::TEXTURE_BINDING) {
            let has = usage.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" | ");
            return Err(Error::MissingUsage { what: "the texture", missing: "TEXTURE_BINDING", has });
        }
        let (levels, layers) = (texture.mip_level_count(), texture.depth_or_array_layers());
        if level >= levels || layer >= layers {
            return Err(Error::NoSuchLevel { level, levels, layer, layers });
        }
        let kind = kind(format, view.aspect)?;
        if kind != if dtype == Dtype::F32x4 { Dtype::F32 } else { dtype } {
            let (texels, elements) = (kind.name(), dtype.name());
            return Err(Error::TextureKind { format: format!("{format:?}"), texels, elements });
        }
        let channels = format.components_with_aspect(view.aspect);
        let last = channel.map(Channel::last);
        if let Some((_, name)) = last.filter(|&(last, _)| last >= channels) {
            return Err(Error::NoSuchChannel { channel: name, format: format!("{format:?}"), channels });
        }
        let (texel, weights) = match channel {
            None if format.is_depth_stencil_format() => {
                let what = format!("a whole texel of {format:?}, which has a depth alone,");
                return Err(Error::BadTexture { what, repair: "reduce it as f32 (Input::texture, Channel::R)" });
            }
            None => (Texel::Whole, [0; 4]),
            Some(Channel::Weighted(_)) if dtype != Dtype::F32 => {
                let what = format!("a weighted sum of the integers of {format:?}");
                return Err(Error::BadTexture { what, repair: "name one channel, or take a texture of floats" });
            }
            Some(Channel::Weighted(weights)) => (Texel::Weighted, weights.map(f32::to_bits)),
            Some(Channel::R | Channel::G | Channel::B | Channel::A) => {
                (Texel::Number(last.map_or(0, |(last, _)| last)), [0; 4])
            }
        };
        let grid = Grid { width: (texture.width() >> level).max(1), texel, weights };
        let texels = Texels { texture, format: view.format, aspect: view.aspect, level, layer, grid };
        if texels.elements() > TEXELS_MAX {
            let what = format!("a texture of {} x {} texels, more than 2^30,", grid.width, texels.height());
            return Err(Error::BadTexture { what, repair: "reduce parts of it, copied to textures of their own" });
        }
        Ok(texels)
    }

    fn height(&self) -> u32 {
        (self.texture.height() >> self.level).max(1)
    }

    fn elements(&self) -> u64 {
        u64::from(self.grid.width) * u64::from(self.height())
    }

    /// A view of these texels alone.
    pub fn view(&self) -> wgpu::TextureView {
        self.texture.create_view(&TextureViewDescriptor {
            label: Some("treefold: texels"),
            format: self.format,
            dimension: Some(TextureViewDimension::D2),
            usage: Some(TextureUsages::TEXTURE_BINDING),
            aspect: self.aspect,
            base_mip_level: self.level,
            mip_level_count: Some(1),
            base_array_layer: self.layer,
            array_layer_count: Some(1),
        })
    }
}

/// Refuses a view of anything but one 2-d layer of one sample.
fn flat(texture: &wgpu::Texture, view: &TextureViewDescriptor<'_>) -> Result<()> {
    let (size, samples) = (texture.size(), texture.sample_count());
    let extent = format!("{} x {} x {}", size.width, size.height, size.depth_or_array_layers);
    let bad = |what: String, repair| Err(Error::BadTexture { what, repair });
    match texture.dimension() {
        TextureDimension::D2 => {}
        TextureDimension::D1 => {
            return bad(format!("a 1-d texture of {extent} texels"), "create it as 2-d, of one row");
        }
        TextureDimension::D3 => {
            return bad(
                format!("a 3-d texture of {extent} texels"),
                "copy its slices to a 2-d texture, or all of it to a buffer",
            );
        }
    }
    if samples > 1 {
        return bad(format!("a texture of {samples} samples a texel"), "resolve it to a texture of one sample");
    }
    let layers = size.depth_or_array_layers.saturating_sub(view.base_array_layer);
    let one = view.array_layer_count.unwrap_or(layers) == 1;
    match view.dimension {
        Some(TextureViewDimension::D2) => Ok(()),
        None | Some(TextureViewDimension::D2Array) if one || layers == 0 => Ok(()),
        None => bad(
            format!("a texture of {layers} layers"),
            "name one by Input::texture_view (base_array_layer, and array_layer_count of 1), and reduce each",
        ),
        Some(other) => bad(
            format!("a view of dimension {other:?}"),
            "give D2, with the layer (for a cube: the face) as base_array_layer, and reduce each",
        ),
    }
}

/// The elements that the texels of a format are.
fn kind(format: TextureFormat, aspect: TextureAspect) -> Result<Dtype> {
    match format.sample_type(Some(aspect), None) {
        _ if format == TextureFormat::R64Uint => {
            let what = "a texture of R64Uint, which no shader samples,".into();
            Err(Error::BadTexture { what, repair: "create it as Rg32Uint, and reduce each channel" })
        }
        Some(TextureSampleType::Float { .. } | TextureSampleType::Depth) => Ok(Dtype::F32),
        Some(TextureSampleType::Uint) => Ok(Dtype::U32),
        Some(TextureSampleType::Sint) => Ok(Dtype::I32),
        None => Err(Error::BadTexture {
            what: format!("a texture of {format:?}, which has several planes or depth and stencil,"),
            repair: "name one by Input::texture_view (aspect: DepthOnly, StencilOnly, Plane0 or Plane1)",
        }),
    }
}
