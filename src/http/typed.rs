//! A JSON value or the parameters of a query as a typed value, each refusal at the name of its field.
//! Must never show an internal name: a field is named as the caller wrote it.

use std::fmt::{self, Display};

use serde::de::value::{MapDeserializer, SeqDeserializer, StringDeserializer};
use serde::de::{
    self, DeserializeOwned, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use crate::domain::invalid::Invalid;

/// The value, or the first field that is wrong.
pub fn typed<T: DeserializeOwned>(node: Node) -> Result<T, Invalid> {
    serde_path_to_error::deserialize(node).map_err(|error| {
        let path = error.path().to_string();
        let refused = error.into_inner();
        let parent = Some(path).filter(|path| path != ".");
        let field = match (parent, refused.of_parent) {
            (Some(parent), Some(name)) => format!("{parent}.{name}"),
            (Some(path), None) => path,
            (None, Some(name)) => name.to_owned(),
            (None, None) => "corpo".to_owned(),
        };
        Invalid::new(field, refused.code, refused.message)
    })
}

/// What is read: a JSON value that keeps a repeated field, so that it can be refused, or a query.
pub enum Node {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Fields(Vec<(String, Node)>),
    /// A parameter of a query: what it is meant to be decides how it is read.
    Parameter(String),
}

impl Node {
    /// The parameters of a query.
    pub fn query(pairs: Vec<(String, String)>) -> Self {
        let fields = pairs.into_iter();
        Self::Fields(
            fields
                .map(|(key, text)| (key, Self::Parameter(text)))
                .collect(),
        )
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Node, E> {
        Ok(Node::Bool(yes))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Unsigned(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Signed(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            fields.push(entry);
        }
        Ok(Node::Fields(fields))
    }
}

/// Why a value is refused, by serde's own classes.
#[derive(Debug)]
pub struct Refused {
    code: &'static str,
    message: &'static str,
    /// A field that is not there, or there twice: the path then ends at its parent.
    of_parent: Option<&'static str>,
}

impl Refused {
    fn new(code: &'static str, message: &'static str) -> Self {
        let of_parent = None;
        Self {
            code,
            message,
            of_parent,
        }
    }
}

impl Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: Display>(_: T) -> Self {
        Self::new("value", "Valore non valido.")
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::new("type", "Tipo di valore non valido.")
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self::new("unknown", "Campo sconosciuto.")
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self {
            of_parent: Some(name),
            ..Self::new("duplicate", "Campo ripetuto.")
        }
    }

    fn missing_field(name: &'static str) -> Self {
        Self {
            of_parent: Some(name),
            ..Self::new("missing", "Campo obbligatorio.")
        }
    }
}

impl IntoDeserializer<'_, Refused> for Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Reads a number or a truth value out of a parameter's text.
macro_rules! parsed {
    ($($method:ident $visit:ident $kind:ty),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            match self {
                Self::Parameter(text) => visitor.$visit(text.parse::<$kind>().map_err(de::Error::custom)?),
                other => other.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Node {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(yes) => visitor.visit_bool(yes),
            Self::Unsigned(number) => visitor.visit_u64(number),
            Self::Signed(number) => visitor.visit_i64(number),
            Self::Float(number) => visitor.visit_f64(number),
            Self::Text(text) | Self::Parameter(text) => visitor.visit_string(text),
            Self::List(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter())),
            Self::Fields(fields) => visitor.visit_map(MapDeserializer::new(fields.into_iter())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self {
            Self::Null => visitor.visit_none(),
            some => visitor.visit_some(some),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self {
            Self::Text(text) | Self::Parameter(text) => {
                StringDeserializer::new(text).deserialize_enum(name, variants, visitor)
            }
            _ => Err(Refused::new("type", "Tipo di valore non valido.")),
        }
    }

    /// A list would fill a struct by position.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self {
            Self::List(_) => Err(Refused::new("type", "Tipo di valore non valido.")),
            other => other.deserialize_any(visitor),
        }
    }

    parsed!(
        deserialize_bool visit_bool bool,
        deserialize_i64 visit_i64 i64,
        deserialize_u16 visit_u16 u16,
        deserialize_u64 visit_u64 u64
    );

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u32 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        text: String,
        inner: Option<Inner>,
        limit: Option<usize>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[serde(rename = "count")]
        _count: u8,
    }

    fn node(json: &str) -> Node {
        serde_json::from_str(json).unwrap()
    }

    fn refusal(node: Node) -> (String, &'static str) {
        let refusal = typed::<Body>(node).unwrap_err();
        (refusal.field, refusal.code)
    }

    #[test]
    fn a_refusal_names_the_field_that_is_wrong() {
        for (json, field, code) in [
            (json!({ "text": 1 }), "text", "type"),
            (json!({}), "text", "missing"),
            (json!({ "text": "a", "altro": 1 }), "altro", "unknown"),
            (
                json!({ "text": "a", "inner": { "count": "x" } }),
                "inner.count",
                "type",
            ),
            (
                json!({ "text": "a", "inner": { "count": 1, "x": 1 } }),
                "inner.x",
                "unknown",
            ),
            (
                json!({ "text": "a", "inner": {} }),
                "inner.count",
                "missing",
            ),
            (
                json!({ "text": "a", "inner": { "count": 300 } }),
                "inner.count",
                "value",
            ),
            (json!({ "text": "a", "inner": [1] }), "inner", "type"),
            (json!([]), "corpo", "type"),
            (json!(["a"]), "corpo", "type"),
            (json!(3), "corpo", "type"),
        ] {
            assert_eq!(refusal(node(&json.to_string())), (field.to_owned(), code));
        }
    }

    #[test]
    fn a_field_that_is_there_twice_is_refused() {
        let twice = node(r#"{"text":"a","inner":{"count":1,"count":2}}"#);
        assert_eq!(refusal(twice), ("inner.count".to_owned(), "duplicate"));
        let twice = node(r#"{"text":"a","text":"b"}"#);
        assert_eq!(refusal(twice), ("text".to_owned(), "duplicate"));
    }

    #[test]
    fn a_parameter_is_what_its_field_wants() {
        let query = |pairs: &[(&str, &str)]| {
            let owned = pairs
                .iter()
                .map(|(key, text)| (key.to_string(), text.to_string()));
            Node::query(owned.collect())
        };
        let body: Body = typed(query(&[("text", "7"), ("limit", "7")])).unwrap();
        assert_eq!((body.text.as_str(), body.limit), ("7", Some(7)));
        assert!(body.inner.is_none());
        let wrong = query(&[("text", "7"), ("limit", "molti")]);
        assert_eq!(refusal(wrong), ("limit".to_owned(), "value"));
        let unknown = query(&[("text", "7"), ("altro", "")]);
        assert_eq!(refusal(unknown), ("altro".to_owned(), "unknown"));
    }
}
