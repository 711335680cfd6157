//! Two declarations that would otherwise be written three times each: words with a name, and sections with defaults.

/// An enum of words, each with the one name under which it is stored, sent and documented.
macro_rules! names {
    ($(#[$about:meta])* pub enum $kind:ident { $($(#[$doc:meta])* $variant:ident = $name:tt,)+ }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        $(#[$about])*
        pub enum $kind {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        #[allow(dead_code, reason = "not every enum is listed and read back")]
        impl $kind {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == name)
            }
        }
    };
}

/// A section that the newsroom can change: its fields with their defaults, camel case in JSON.
macro_rules! section {
    ($(#[$about:meta])* pub struct $name:ident {
        $($(#[$doc:meta])* pub $field:ident: $kind:tt = $default:expr,)+
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(default, rename_all = "camelCase")]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }
    };
}

pub(crate) use {names, section};
