//! Accounts that are nearly the same, among the latest. Holds no text; accounts about the same subject are not copies.

use std::collections::{HashSet, VecDeque};

/// Two megabytes at most.
const REMEMBERED: usize = 1_024;
const WORDS: usize = 512;
/// An account with fewer pairs says too little.
const FEWEST: usize = 6;
/// So many near copies make a crowd: one person may send an account twice.
const CROWD: usize = 3;

/// Hashes of neighbouring words, each pair once, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch(Vec<u32>);

impl Sketch {
    pub fn of(account: &str) -> Self {
        let mut pairs: Vec<u32> = pairs(account).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    pub(super) fn into_pairs(self) -> impl Iterator<Item = u32> {
        self.0.into_iter()
    }

    /// Whether both share half of all their pairs.
    fn is_near(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self.0.as_slice(), other.0.as_slice());
        let (least, most) = (left.len().min(right.len()), left.len().max(right.len()));
        if least < FEWEST || 2 * least < most {
            return false;
        }
        let mut both: usize = 0;
        while let ([one, left_rest @ ..], [two, right_rest @ ..]) = (left, right) {
            both += usize::from(one == two);
            if one <= two {
                left = left_rest;
            }
            if two <= one {
                right = right_rest;
            }
        }
        let all = self.0.len() + other.0.len() - both;
        2 * both >= all
    }
}

fn pairs(account: &str) -> impl Iterator<Item = u32> {
    let words = account.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).take(WORDS);
    words.scan(0, |last, word| {
        let before = std::mem::replace(last, hash(word));
        Some(mixed(before, *last))
    })
}

fn hash(word: &str) -> u32 {
    word.chars().fold(0x811c_9dc5, |hash, letter| {
        if letter.is_ascii() {
            return mixed(hash, letter.to_ascii_lowercase().into());
        }
        letter
            .to_lowercase()
            .fold(hash, |hash, letter| mixed(hash, letter.into()))
    })
}

fn mixed(hash: u32, next: u32) -> u32 {
    (hash.rotate_left(5) ^ next).wrapping_mul(0x9e37_79b1)
}

#[derive(Debug, Default)]
pub struct Crowd {
    latest: VecDeque<CrowdMember>,
    last_group: i64,
}

#[derive(Debug)]
struct CrowdMember {
    id: String,
    sketch: Sketch,
    mark: CrowdMark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CrowdMark {
    Alone,
    Aside(i64),
    /// An editor said that it is real, and so is what is like it.
    Cleared,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    pub group: i64,
    /// Reports that come into the group now, this one included.
    pub ids: Vec<String>,
}

impl Crowd {
    /// With `judging`, answers what is set aside if the account is one of a crowd. `now` (ms) makes group numbers differ from
    /// those before a restart.
    pub fn remember(
        &mut self,
        id: &str,
        sketch: Sketch,
        judging: bool,
        now: i64,
    ) -> Option<SetAside> {
        let aside = judging.then(|| self.judge(id, &sketch, now));
        let mark = aside.as_ref().map_or(CrowdMark::Alone, |(mark, _)| *mark);
        if self.latest.len() == REMEMBERED {
            self.latest.pop_front();
        }
        self.latest.push_back(CrowdMember {
            id: id.to_owned(),
            sketch,
            mark,
        });
        match aside {
            Some((CrowdMark::Aside(group), ids)) => Some(SetAside { group, ids }),
            _ => None,
        }
    }

    /// The mark of an account, and the ids that come into its group now.
    fn judge(&mut self, id: &str, sketch: &Sketch, now: i64) -> (CrowdMark, Vec<String>) {
        let alike = self.latest.iter_mut();
        let mut alike: Vec<_> = alike
            .filter(|one| one.id != id && one.sketch.is_near(sketch))
            .collect();
        if alike.iter().any(|one| one.mark == CrowdMark::Cleared) {
            return (CrowdMark::Cleared, Vec::new());
        }
        let others: HashSet<_> = alike.iter().map(|one| &*one.id).collect();
        if others.len() + 1 < CROWD {
            return (CrowdMark::Alone, Vec::new());
        }
        let known = alike.iter().find_map(|one| match one.mark {
            CrowdMark::Aside(group) => Some(group),
            _ => None,
        });
        let group = known.unwrap_or_else(|| {
            self.last_group = now.max(self.last_group + 1);
            self.last_group
        });
        let mut ids = vec![id.to_owned()];
        for one in &mut alike {
            if one.mark == CrowdMark::Alone {
                one.mark = CrowdMark::Aside(group);
                ids.push(one.id.clone());
            }
        }
        (CrowdMark::Aside(group), ids)
    }

    /// Reports that could not be stored come with the next of their crowd.
    pub fn take_back(&mut self, aside: &SetAside) {
        for one in &mut self.latest {
            if one.mark == CrowdMark::Aside(aside.group) && aside.ids.contains(&one.id) {
                one.mark = CrowdMark::Alone;
            }
        }
    }

    pub fn clear(&mut self, group: Option<i64>) {
        for one in &mut self.latest {
            if let CrowdMark::Aside(of) = one.mark
                && group.is_none_or(|group| group == of)
            {
                one.mark = CrowdMark::Cleared;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str = "Nel cantiere del porto scaricano di notte fusti arrugginiti nel canale, li ho visti tre volte \
                         e ho le fotografie con la data.";

    /// Notes an account in a siege; the ids that are to be set aside with it.
    fn note(crowd: &mut Crowd, id: &str, account: &str) -> Vec<String> {
        let aside = crowd.remember(id, Sketch::of(account), true, 7);
        aside.map_or(Vec::new(), |aside| aside.ids)
    }

    #[test]
    fn the_third_that_is_nearly_the_same_sets_all_aside() {
        let mut crowd = Crowd::default();
        // Before the siege.
        crowd.remember("a", Sketch::of(STORY), false, 0);
        assert!(note(&mut crowd, "b", &STORY.to_uppercase()).is_empty());
        assert_eq!(
            note(&mut crowd, "c", &format!("Numero 12: {STORY}")),
            ["c", "a", "b"]
        );
        assert_eq!(note(&mut crowd, "d", STORY), ["d"]);
        // Sent again because the answer got lost.
        assert_eq!(note(&mut crowd, "d", STORY), ["d"]);
        let other = "La direttrice della casa di riposo lega gli anziani ai letti ogni sera, lo sanno tutti e nessuno parla.";
        assert!(note(&mut crowd, "e", other).is_empty());
    }

    #[test]
    fn what_could_not_be_stored_comes_with_the_next() {
        let mut crowd = Crowd::default();
        for id in ["a", "b"] {
            note(&mut crowd, id, STORY);
        }
        let aside = crowd.remember("c", Sketch::of(STORY), true, 7);
        crowd.take_back(&aside.unwrap());
        assert_eq!(note(&mut crowd, "d", STORY), ["d", "a", "b", "c"]);
    }

    #[test]
    fn one_person_who_sends_it_again_is_no_crowd() {
        let mut crowd = Crowd::default();
        for id in ["a", "a", "a", "b", "b"] {
            assert!(note(&mut crowd, id, STORY).is_empty());
        }
    }

    #[test]
    fn what_was_cleared_is_set_aside_no_more() {
        let mut crowd = Crowd::default();
        for id in ["a", "b", "c"] {
            note(&mut crowd, id, STORY);
        }
        crowd.clear(None);
        for id in ["d", "e", "f"] {
            assert!(note(&mut crowd, id, STORY).is_empty());
        }
    }

    #[test]
    fn two_stories_of_the_same_kind_are_not_the_same() {
        let kinds = [
            "Il sindaco del mio paese ha dato l'appalto della mensa alla ditta del cognato senza nessuna gara.",
            "Il sindaco di un paese vicino ha dato l'appalto dei rifiuti a una ditta che non ha i mezzi per farlo.",
        ];
        let are_near = |one: &str, other: &str| Sketch::of(one).is_near(&Sketch::of(other));
        assert!(!are_near(kinds[0], kinds[1]));
        assert!(!are_near("Aiuto", "Aiuto"));
        let long = "parola ".repeat(100_000);
        assert!(Sketch::of(&long).0.len() <= WORDS);
    }

    #[test]
    fn memory_is_bounded() {
        let mut crowd = Crowd::default();
        for number in 0..2 * REMEMBERED {
            crowd.remember(&number.to_string(), Sketch::of(STORY), false, 0);
        }
        assert_eq!(crowd.latest.len(), REMEMBERED);
    }
}
