//! Answers to forms, kept from the POST that made them until the browser comes for them and back to them. A POST leads
//! on to a page with an address, so that 'back' and 'reload' send nothing again (decisions/0021). Must never hold a
//! page that can be read without its address, nor one for longer than half an hour.

use std::collections::BTreeMap;
use std::fmt;

use lru::LruCache;
use parking_lot::Mutex;

use crate::vault::{PageKey, VaultError};

/// How long pages are held after the last form of their conversation, in ms.
const LIFE_MS: i64 = 30 * 60_000;
/// For how long (ms) nothing makes a page give way: its browser may still be on the way to it, by a slow line.
const FRESH_MS: i64 = 60_000;
/// Bytes of all pages together.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// Pages of one conversation: the questions, and every one of them corrected several times.
const MOST_PAGES: usize = 64;

/// Where a page is found: the key of its conversation's pages, and its place among them.
pub struct PageName {
    key: PageKey,
    place: u16,
}

impl PageName {
    /// The first of a conversation.
    pub fn first() -> Result<Self, VaultError> {
        let key = PageKey::generate()?;
        Ok(Self { key, place: 0 })
    }

    /// That to which this one leads.
    pub fn next(self) -> Self {
        let place = self.place.wrapping_add(1);
        Self { place, ..self }
    }

    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (key, place) = text.split_once('.')?;
        let (key, place) = (PageKey::parse(key)?, place.parse().ok()?);
        Some(Self { key, place })
    }
}

impl fmt::Display for PageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.key, self.place)
    }
}

/// The pages of conversations without a script, the longest untouched first.
pub struct FormPages(Mutex<HeldPages>);

struct HeldPages {
    conversations: LruCache<[u8; 32], FormConversation>,
    bytes: usize,
}

/// Sealed pages by their place, and when (ms) the last was made.
#[derive(Default)]
struct FormConversation {
    pages: BTreeMap<u16, Vec<u8>>,
    at: i64,
}

impl Default for FormPages {
    fn default() -> Self {
        Self(Mutex::new(HeldPages {
            conversations: LruCache::unbounded(),
            bytes: 0,
        }))
    }
}

impl FormPages {
    /// Holds a page, in place of what stood there and of what came after; `false` where there is no room.
    pub fn keep(&self, name: &PageName, now: i64, page: &[u8]) -> Result<bool, VaultError> {
        let mark = *name.key.mark()?.expose();
        let sealed = name.key.seal(&name.place.to_be_bytes(), page)?;
        let mut held = self.0.lock();
        held.expire(now);
        let mut own = held.take(&mark).unwrap_or_default();
        own.pages.split_off(&name.place);
        if own.pages.len() == MOST_PAGES {
            own.pages.pop_first();
        }
        own.at = now;
        let fits = held.make_room(own.bytes() + sealed.len(), now);
        if fits {
            own.pages.insert(name.place, sealed);
        }
        held.put(mark, own);
        Ok(fits)
    }

    /// A page that is held, opened.
    pub fn open(&self, name: &PageName, now: i64) -> Result<Option<Vec<u8>>, VaultError> {
        let mark = *name.key.mark()?.expose();
        let held = self.0.lock();
        let own = held.living(&mark, now);
        let page = own.and_then(|own| own.pages.get(&name.place));
        page.map(|sealed| name.key.open(&name.place.to_be_bytes(), sealed))
            .transpose()
    }

    /// The last page of the same conversation.
    pub fn last(&self, name: PageName, now: i64) -> Result<Option<PageName>, VaultError> {
        let mark = *name.key.mark()?.expose();
        let held = self.0.lock();
        let own = held.living(&mark, now);
        let place = own.and_then(|own| own.pages.last_key_value());
        Ok(place.map(|(place, _)| PageName {
            place: *place,
            ..name
        }))
    }

    /// Lets go of all pages of a conversation.
    pub fn forget(&self, name: &PageName) -> Result<(), VaultError> {
        let mark = *name.key.mark()?.expose();
        self.0.lock().take(&mark);
        Ok(())
    }
}

impl FormConversation {
    fn bytes(&self) -> usize {
        self.pages.values().map(Vec::len).sum()
    }

    /// One from after `now` was made before the clock was set back.
    fn is_younger(&self, ms: i64, now: i64) -> bool {
        (0..ms).contains(&now.saturating_sub(self.at))
    }
}

impl HeldPages {
    fn living(&self, mark: &[u8; 32], now: i64) -> Option<&FormConversation> {
        let own = self.conversations.peek(mark);
        own.filter(|own| own.is_younger(LIFE_MS, now))
    }

    fn take(&mut self, mark: &[u8; 32]) -> Option<FormConversation> {
        let own = self.conversations.pop(mark)?;
        self.bytes -= own.bytes();
        Some(own)
    }

    fn put(&mut self, mark: [u8; 32], own: FormConversation) {
        if !own.pages.is_empty() {
            self.bytes += own.bytes();
            self.conversations.put(mark, own);
        }
    }

    fn expire(&mut self, now: i64) {
        self.drop_while(|own, _| !own.is_younger(LIFE_MS, now));
    }

    /// Whether so many bytes fit, once the longest untouched have given way.
    fn make_room(&mut self, bytes: usize, now: i64) -> bool {
        self.drop_while(|own, held| held + bytes > MOST_BYTES && !own.is_younger(FRESH_MS, now));
        self.bytes + bytes <= MOST_BYTES
    }

    fn drop_while(&mut self, goes: impl Fn(&FormConversation, usize) -> bool) {
        while let Some((_, own)) = self.conversations.peek_lru()
            && goes(own, self.bytes)
            && let Some((_, own)) = self.conversations.pop_lru()
        {
            self.bytes -= own.bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn open(pages: &FormPages, name: &PageName, now: i64) -> Option<String> {
        let page = pages.open(name, now).unwrap();
        page.map(|page| String::from_utf8(page).unwrap())
    }

    fn at(name: &PageName, place: u16) -> PageName {
        let key = name.to_string();
        let (key, _) = key.split_once('.').unwrap();
        PageName::parse(&format!("{key}.{place}")).unwrap()
    }

    #[test]
    fn a_page_is_found_by_its_address_and_gone_after_half_an_hour() {
        let (pages, name) = (FormPages::default(), PageName::first().unwrap());
        assert!(pages.keep(&name, 0, b"prima").unwrap());
        let same = PageName::parse(&name.to_string()).unwrap();
        assert_eq!(open(&pages, &same, 0).as_deref(), Some("prima"));
        assert_eq!(
            open(&pages, &same, LIFE_MS - 1).as_deref(),
            Some("prima"),
            "not asked for once alone"
        );
        assert_eq!(open(&pages, &same, LIFE_MS), None);
        assert_eq!(open(&pages, &same, -1), None, "of a clock set back");
        assert_eq!(open(&pages, &PageName::first().unwrap(), 0), None);
        for text in ["", ".", "x.1", "00.1", &name.to_string().replace('.', "")] {
            assert!(PageName::parse(text).is_none(), "{text}");
        }
        // Expired pages take no room.
        let other = PageName::first().unwrap();
        assert!(pages.keep(&other, LIFE_MS, b"altra").unwrap());
        assert_eq!(pages.0.lock().conversations.len(), 1);
    }

    #[test]
    fn another_form_renews_all_pages_before_it_and_replaces_those_after() {
        let (pages, name) = (FormPages::default(), PageName::first().unwrap());
        for place in 0..4 {
            let text = format!("pagina {place}");
            pages.keep(&at(&name, place), 0, text.as_bytes()).unwrap();
        }
        pages.keep(&at(&name, 1), LIFE_MS - 1, b"corretta").unwrap();
        let shown = [0, 1, 2, 3].map(|place| open(&pages, &at(&name, place), LIFE_MS));
        let texts = shown.each_ref().map(Option::as_deref);
        assert_eq!(texts, [Some("pagina 0"), Some("corretta"), None, None]);
        let last = pages.last(at(&name, 3), LIFE_MS).unwrap().unwrap();
        assert_eq!(last.to_string(), at(&name, 1).to_string());
        pages.forget(&at(&name, 3)).unwrap();
        assert_eq!(open(&pages, &name, LIFE_MS), None);
        assert!(pages.last(name, LIFE_MS).unwrap().is_none());
        assert_eq!(pages.0.lock().bytes, 0);
    }

    #[test]
    fn of_one_conversation_the_latest_pages_are_held() {
        let (pages, name) = (FormPages::default(), PageName::first().unwrap());
        for place in 0..=64 {
            pages.keep(&at(&name, place), 0, b"x").unwrap();
        }
        assert_eq!(open(&pages, &name, 0), None);
        assert!(open(&pages, &at(&name, 1), 0).is_some());
    }

    /// A flood takes the room of pages that people may go back to, never of one that a browser is on its way to.
    #[test]
    fn the_oldest_give_way_but_none_of_the_last_minute() {
        let pages = FormPages::default();
        let names: Vec<_> = (0..40).map(|_| PageName::first().unwrap()).collect();
        let page = vec![0; 1024 * 1024];
        let kept = names
            .iter()
            .map(|name| pages.keep(name, MINUTE, &page).unwrap());
        assert_eq!(kept.filter(|kept| *kept).count(), 31);
        let held = |now| {
            let open = names.iter().map(|name| open(&pages, name, now).is_some());
            open.collect::<Vec<_>>()
        };
        assert_eq!(held(MINUTE)[..31], [true; 31]);
        let newest = PageName::first().unwrap();
        assert!(!pages.keep(&newest, 2 * MINUTE - 1, &page).unwrap());
        assert!(pages.keep(&newest, 2 * MINUTE, &page).unwrap());
        assert_eq!(held(2 * MINUTE)[..2], [false, true]);
        assert!(pages.0.lock().bytes <= MOST_BYTES);
    }
}
