//! A JSON value or the parameters of a query as a typed value, each refusal at the name of its field.
//! Must never show an internal name: a field is named as the caller wrote it.

use std::fmt::{self, Display};

use serde::de::value::{MapDeserializer, SeqDeserializer, StringDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use crate::domain::invalid::Invalid;

/// The value, or the first field that is wrong.
pub fn typed<T: DeserializeOwned>(node: Node) -> Result<T, Invalid> {
    serde_path_to_error::deserialize(node).map_err(|error| {
        let path = error.path().to_string();
        let refused = error.into_inner();
        let parent = Some(path).filter(|path| path != ".");
        let field = match (parent, refused.missing) {
            (Some(parent), Some(name)) => format!("{parent}.{name}"),
            (Some(path), None) => path,
            (None, Some(name)) => name.to_owned(),
            (None, None) => "corpo".to_owned(),
        };
        Invalid::new(field, refused.code, refused.message)
    })
}

/// What is read.
pub enum Node {
    /// A value of a JSON body.
    Json(Value),
    /// The parameters of a query.
    Query(Vec<(String, String)>),
    /// One of them: what it is meant to be decides how it is read.
    Text(String),
}

/// Why a value is refused, by serde's own classes.
#[derive(Debug)]
pub struct Refused {
    code: &'static str,
    message: &'static str,
    /// A field that is not there: the path then ends at its parent.
    missing: Option<&'static str>,
}

impl Refused {
    fn new(code: &'static str, message: &'static str) -> Self {
        let missing = None;
        Self {
            code,
            message,
            missing,
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

    fn missing_field(name: &'static str) -> Self {
        Self {
            missing: Some(name),
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
                Self::Text(text) => visitor.$visit(text.parse::<$kind>().map_err(de::Error::custom)?),
                other => other.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Node {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self {
            Self::Json(Value::Null) => visitor.visit_unit(),
            Self::Json(Value::Bool(yes)) => visitor.visit_bool(yes),
            Self::Json(Value::Number(number)) => {
                if let Some(number) = number.as_u64() {
                    visitor.visit_u64(number)
                } else if let Some(number) = number.as_i64() {
                    visitor.visit_i64(number)
                } else {
                    visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
                }
            }
            Self::Json(Value::String(text)) | Self::Text(text) => visitor.visit_string(text),
            Self::Json(Value::Array(items)) => {
                visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Node::Json)))
            }
            Self::Json(Value::Object(fields)) => {
                let fields = fields
                    .into_iter()
                    .map(|(key, value)| (key, Node::Json(value)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
            Self::Query(pairs) => {
                let fields = pairs.into_iter().map(|(key, text)| (key, Node::Text(text)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self {
            Self::Json(Value::Null) => visitor.visit_none(),
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
            Self::Json(Value::String(text)) | Self::Text(text) => {
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
            Self::Json(Value::Array(_)) => Err(Refused::new("type", "Tipo di valore non valido.")),
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
            assert_eq!(refusal(Node::Json(json)), (field.to_owned(), code));
        }
    }

    #[test]
    fn a_parameter_is_what_its_field_wants() {
        let query = |pairs: &[(&str, &str)]| {
            let owned = pairs
                .iter()
                .map(|(key, text)| (key.to_string(), text.to_string()));
            Node::Query(owned.collect())
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
