//! The columns that a schema names: what each holds, and which nodes and buffers of a record batch are its own.

use crate::format::Stored;
use arrow_ipc::{Endianness, Field as Said, Int, MetadataVersion, Precision, Schema, Type, UnionMode};

/// A column.
#[derive(Clone)]
pub struct Field {
    pub name: String,
    /// Whether values of it may be missing.
    pub nullable: bool,
    /// Its numbers; where it has none, the name of its content.
    pub holds: Result<FieldHolds, String>,
    pub place: FieldPlace,
}

/// Numbers.
#[derive(Clone, Copy)]
pub struct FieldHolds {
    pub stored: Stored,
    /// Whether each is a bit.
    pub bits: bool,
    /// The dictionary of which it has indices in place of them, and their type.
    pub dictionary: Option<(i64, Stored)>,
}

/// Nodes and buffers of a record batch before those of a column.
#[derive(Clone, Copy, Default)]
pub struct FieldPlace {
    pub node: usize,
    pub buffer: usize,
    /// Columns of views before it, which have further buffers.
    pub views: usize,
}

/// The columns of a schema.
pub fn fields(schema: Schema, version: MetadataVersion) -> Result<Vec<Field>, String> {
    if schema.endianness() != Endianness::Little {
        return Err("its numbers are big-endian, which treefold does not read".into());
    }
    let (mut fields, mut place) = (vec![], FieldPlace::default());
    for said in schema.fields().iter().flatten() {
        let name = said.name().unwrap_or_default().to_string();
        fields.push(Field { name, nullable: said.nullable(), holds: holds(&said), place });
        place.pass(&said, version)?;
    }
    Ok(fields)
}

fn holds(said: &Said) -> Result<FieldHolds, String> {
    let name = said.type_type().variant_name().unwrap_or("an unknown type");
    let bits = said.type_type() == Type::Bool;
    let stored = match said.type_type() {
        Type::Int => said.type_as_int().and_then(integers),
        Type::FloatingPoint => match said.type_as_floating_point().map(|float| float.precision()) {
            Some(Precision::HALF) => Stored::raw("f16"),
            Some(Precision::SINGLE) => Stored::raw("f32"),
            Some(Precision::DOUBLE) => Stored::raw("f64"),
            _ => None,
        },
        // How many of its unit, as in Parquet, which has no type of its own for it.
        Type::Duration => Stored::raw("i64"),
        Type::Bool => Some(Stored::BOOL),
        _ => None,
    };
    let dictionary = match said.dictionary() {
        None => None,
        Some(_) if bits => return Err("a dictionary of truth values".into()),
        // Where none is told they are signed and of 32 bits.
        Some(dictionary) => {
            let index = dictionary.indexType().map_or(Stored::raw("i32"), integers);
            Some((dictionary.id(), index.ok_or("a dictionary of other indices than integers")?))
        }
    };
    let of = if dictionary.is_some() { "a dictionary of " } else { "" };
    Ok(FieldHolds { stored: stored.ok_or_else(|| format!("{of}{name}"))?, bits, dictionary })
}

fn integers(int: Int) -> Option<Stored> {
    let sign = if int.is_signed() { 'i' } else { 'u' };
    Stored::raw(&format!("{sign}{}", int.bitWidth()))
}

impl FieldPlace {
    /// Goes on behind a column.
    fn pass(&mut self, said: &Said, version: MetadataVersion) -> Result<(), String> {
        self.node += 1;
        if said.dictionary().is_some() {
            self.buffer += 2;
            return Ok(());
        }
        self.buffer += match said.type_type() {
            Type::Null | Type::RunEndEncoded => 0,
            Type::FixedSizeList | Type::Struct_ => 1,
            Type::Binary | Type::Utf8 | Type::LargeBinary | Type::LargeUtf8 | Type::ListView | Type::LargeListView => 3,
            Type::Union => {
                let dense = said.type_as_union().is_some_and(|union| union.mode() == UnionMode::Dense);
                1 + usize::from(dense) + usize::from(version < MetadataVersion::V5)
            }
            Type::BinaryView | Type::Utf8View => {
                self.views += 1;
                2
            }
            Type::Int
            | Type::FloatingPoint
            | Type::Bool
            | Type::Decimal
            | Type::Date
            | Type::Time
            | Type::Timestamp
            | Type::Interval
            | Type::Duration
            | Type::FixedSizeBinary
            | Type::List
            | Type::LargeList
            | Type::Map => 2,
            other => return Err(format!("a column of the unknown type {other:?}")),
        };
        said.children().iter().flatten().try_for_each(|child| self.pass(&child, version))
    }
}
