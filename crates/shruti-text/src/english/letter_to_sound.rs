//! Letter-to-sound conversion by a joint n-gram model (Bisani & Ney 2008; Galescu & Allen 2001).
//!
//! A word is a sequence of *graphones*. Each graphone is one or two letters with the sounds they represent (`ph` with
//! f, a silent `e` with no sound). A beam search finds the most likely sequence according to a back-off n-gram model
//! over graphones, which the program under `train/english` trains on a pronouncing dictionary. Costs are integers, so
//! the result is the same on every machine. Time is linear in the length of the word.
//!
//! The model is one byte string, which is used in place without conversion. All numbers are little-endian.
//!
//! | bytes | contents |
//! | --- | --- |
//! | 4 | `SLT1` |
//! | 2, 3, 3, 3 | numbers of graphones T, of internal nodes I, of leaves L; node of the word start |
//! | 2 × 703 | first graphone of each letter chunk (26 letters, then 26 × 26 pairs), and the end |
//! | 2 × (T + 1) | start of the sounds of each graphone, and the end |
//! | … | the sounds |
//! | 13 × (I + 1) | internal nodes, as below |
//! | 3 × L | leaves: graphone 2 bytes, cost 1 byte |
//!
//! An internal node has these fields, with their sizes in bytes: graphone 2, cost 1, back-off cost 1, first internal
//! child 3, first leaf child 3, suffix node 3.
//! The children of a node end at the first child of the next node. Node 0 is the empty context; its internal children
//! are the T graphones, the end of the word and the start of the word. A cost is -log₂ p in units of 1/[`COST_SCALE`].

/// Number of cost units per bit.
pub const COST_SCALE: f64 = 10.0;
/// Number of letter chunks: single letters and pairs.
pub const CHUNKS: usize = 26 + 26 * 26;
/// Magic bytes at the start of a model.
pub const MAGIC: &[u8; 4] = b"SLT1";
/// Size of an internal node in bytes.
pub const NODE_SIZE: usize = 13;
/// Size of a leaf in bytes.
pub const LEAF_SIZE: usize = 3;

const HEADER_SIZE: usize = 4 + 2 + 3 + 3 + 3;
/// Maximum number of hypotheses kept at each letter.
const BEAM: usize = 16;
/// Maximum amount by which a hypothesis may cost more than the best hypothesis at the same letter. Costlier hypotheses
/// are pruned.
const BEAM_WIDTH: u32 = (9.0 * COST_SCALE) as u32;
const ROOT: u32 = 0;

/// Returns the index of a letter chunk of one or two letters `a`–`z`.
pub fn chunk(letters: &[u8]) -> Option<usize> {
    let index = |letter: u8| letter.is_ascii_lowercase().then(|| usize::from(letter - b'a'));
    match *letters {
        [letter] => index(letter),
        [first, second] => Some(26 + 26 * index(first)? + index(second)?),
        _ => None,
    }
}

/// Error for a model that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the letter-to-sound model is damaged: {0}")]
pub struct DamagedModel(&'static str);

/// Letter-to-sound model, used in place.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    chunk_starts: &'a [u8],
    sound_starts: &'a [u8],
    sounds: &'a [u8],
    nodes: &'a [u8],
    leaves: &'a [u8],
    graphones: u32,
    start: u32,
}

#[derive(Clone, Copy)]
struct Hypothesis {
    cost: u32,
    state: u32,
    trail: u32,
}

/// Cost of a possible next graphone, and the context that results from it.
#[derive(Clone, Copy)]
struct Candidate {
    cost: u32,
    state: u32,
}

const NOT_FOUND: Candidate = Candidate { cost: u32::MAX, state: u32::MAX };

fn u16_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(bytes[at]) | u32::from(bytes[at + 1]) << 8
}

fn u24_at(bytes: &[u8], at: usize) -> u32 {
    u16_at(bytes, at) | u32::from(bytes[at + 2]) << 16
}

impl<'a> Model<'a> {
    /// Reads a model. Checks that its parts have the declared sizes and that its links stay inside it.
    pub fn read(bytes: &'a [u8]) -> Result<Self, DamagedModel> {
        if bytes.len() < HEADER_SIZE || &bytes[..4] != MAGIC {
            return Err(DamagedModel("header"));
        }
        let graphones = u16_at(bytes, 4);
        let node_count = u24_at(bytes, 6) as usize;
        let leaf_count = u24_at(bytes, 9) as usize;
        let start = u24_at(bytes, 12);
        let mut rest = &bytes[HEADER_SIZE..];
        let mut take = |size: usize| -> Result<&'a [u8], DamagedModel> {
            let (part, after) = rest.split_at_checked(size).ok_or(DamagedModel("size"))?;
            rest = after;
            Ok(part)
        };
        let chunk_starts = take(2 * (CHUNKS + 1))?;
        let sound_starts = take(2 * (graphones as usize + 1))?;
        let sounds = take(u16_at(sound_starts, 2 * graphones as usize) as usize)?;
        let nodes = take(NODE_SIZE * (node_count + 1))?;
        let leaves = take(LEAF_SIZE * leaf_count)?;
        let model = Self { chunk_starts, sound_starts, sounds, nodes, leaves, graphones, start };
        if !rest.is_empty() {
            return Err(DamagedModel("size"));
        }
        model.check(node_count as u32, leaf_count as u32)?;
        Ok(model)
    }

    fn check(&self, node_count: u32, leaf_count: u32) -> Result<(), DamagedModel> {
        let ascending = |table: &[u8]| {
            let values: Vec<u32> = (0..table.len() / 2).map(|i| u16_at(table, 2 * i)).collect();
            values.is_sorted()
        };
        if !ascending(self.chunk_starts) || u16_at(self.chunk_starts, 2 * CHUNKS) != self.graphones {
            return Err(DamagedModel("letter chunks"));
        }
        if !ascending(self.sound_starts) {
            return Err(DamagedModel("sounds"));
        }
        // every letter must have a graphone, or a word with that letter would have no transcription
        if (0..26).any(|letter| self.chunk_range(letter).is_empty()) {
            return Err(DamagedModel("a letter without a sound"));
        }
        let root_children = self.internal_children(ROOT);
        if node_count == 0 || root_children != (1..self.graphones + 3) || self.start >= node_count {
            return Err(DamagedModel("root"));
        }
        for node in 0..node_count {
            let internal = self.internal_children(node);
            let leaves = self.leaf_children(node);
            let ordered = internal.start <= internal.end && leaves.start <= leaves.end;
            let inside = internal.end <= node_count && leaves.end <= leaf_count;
            // a suffix is a shorter context, and shorter contexts come first
            let suffix_shorter = node == ROOT || self.suffix(node) < node;
            if !(ordered && inside && suffix_shorter) {
                return Err(DamagedModel("nodes"));
            }
        }
        Ok(())
    }

    fn chunk_range(&self, chunk: usize) -> std::ops::Range<u32> {
        u16_at(self.chunk_starts, 2 * chunk)..u16_at(self.chunk_starts, 2 * chunk + 2)
    }

    fn graphone_sounds(&self, graphone: u32) -> &'a [u8] {
        let at = 2 * graphone as usize;
        let range = u16_at(self.sound_starts, at) as usize..u16_at(self.sound_starts, at + 2) as usize;
        self.sounds.get(range).unwrap_or_default()
    }

    fn node_graphone(&self, node: u32) -> u32 {
        u16_at(self.nodes, NODE_SIZE * node as usize)
    }

    fn node_cost(&self, node: u32) -> u32 {
        u32::from(self.nodes[NODE_SIZE * node as usize + 2])
    }

    fn back_off(&self, node: u32) -> u32 {
        u32::from(self.nodes[NODE_SIZE * node as usize + 3])
    }

    fn internal_children(&self, node: u32) -> std::ops::Range<u32> {
        let at = NODE_SIZE * node as usize + 4;
        u24_at(self.nodes, at)..u24_at(self.nodes, at + NODE_SIZE)
    }

    fn leaf_children(&self, node: u32) -> std::ops::Range<u32> {
        let at = NODE_SIZE * node as usize + 7;
        u24_at(self.nodes, at)..u24_at(self.nodes, at + NODE_SIZE)
    }

    fn suffix(&self, node: u32) -> u32 {
        u24_at(self.nodes, NODE_SIZE * node as usize + 10)
    }

    fn leaf_graphone(&self, leaf: u32) -> u32 {
        u16_at(self.leaves, LEAF_SIZE * leaf as usize)
    }

    fn leaf_cost(&self, leaf: u32) -> u32 {
        u32::from(self.leaves[LEAF_SIZE * leaf as usize + 2])
    }

    /// Fills `candidates` with the cost of each graphone of `wanted` after the context `state`, and the resulting
    /// context.
    fn follow(&self, state: u32, wanted: &std::ops::Range<u32>, candidates: &mut Vec<Candidate>) {
        candidates.clear();
        candidates.resize(wanted.len(), NOT_FOUND);
        let mut without_state = wanted.len();
        let mut context = state;
        let mut penalty = 0;
        while context != ROOT && without_state > 0 {
            let children = self.internal_children(context);
            for node in
                lower_bound(children.clone(), |node| self.node_graphone(node) < wanted.start)..children.end
            {
                let graphone = self.node_graphone(node);
                if graphone >= wanted.end {
                    break;
                }
                let candidate = &mut candidates[(graphone - wanted.start) as usize];
                if candidate.cost == u32::MAX {
                    candidate.cost = penalty + self.node_cost(node);
                }
                if candidate.state == u32::MAX {
                    candidate.state = node;
                    without_state -= 1;
                }
            }
            let children = self.leaf_children(context);
            for leaf in
                lower_bound(children.clone(), |leaf| self.leaf_graphone(leaf) < wanted.start)..children.end
            {
                let graphone = self.leaf_graphone(leaf);
                if graphone >= wanted.end {
                    break;
                }
                let candidate = &mut candidates[(graphone - wanted.start) as usize];
                if candidate.cost == u32::MAX {
                    candidate.cost = penalty + self.leaf_cost(leaf);
                }
            }
            penalty += self.back_off(context);
            context = self.suffix(context);
        }
        if without_state == 0 {
            return;
        }
        for (candidate, graphone) in candidates.iter_mut().zip(wanted.clone()) {
            let node = graphone + 1;
            if candidate.cost == u32::MAX {
                candidate.cost = penalty + self.node_cost(node);
            }
            if candidate.state == u32::MAX {
                candidate.state = node;
            }
        }
    }

    /// Returns the sounds of a word of letters `a`–`z`; other characters are skipped.
    pub fn transcribe(&self, word: &[u8]) -> Vec<u8> {
        let letters: Vec<u8> = word.iter().copied().filter(u8::is_ascii_lowercase).collect();
        // steps of all hypotheses: the chosen graphone, and the index of the previous step
        let mut trail: Vec<(u32, u32)> = Vec::with_capacity(letters.len() * BEAM * 2);
        let first = Hypothesis { cost: 0, state: self.start, trail: u32::MAX };
        let mut here = Reached::default();
        here.hypotheses.push(first);
        let mut one_on = Reached::default();
        let mut two_on = Reached::default();
        let mut candidates = Vec::new();
        for position in 0..letters.len() {
            here.prune();
            for &hypothesis in &here.hypotheses {
                for (size, reached) in [(1, &mut one_on), (2, &mut two_on)] {
                    let Some(chunk) = letters.get(position..position + size).and_then(chunk) else {
                        continue;
                    };
                    let wanted = self.chunk_range(chunk);
                    if wanted.is_empty() || hypothesis.cost > reached.limit() {
                        continue;
                    }
                    self.follow(hypothesis.state, &wanted, &mut candidates);
                    for (candidate, graphone) in candidates.iter().zip(wanted) {
                        let cost = hypothesis.cost + candidate.cost;
                        reached.add(&mut trail, cost, candidate.state, (graphone, hypothesis.trail));
                    }
                }
            }
            here.hypotheses.clear();
            std::mem::swap(&mut here, &mut one_on);
            std::mem::swap(&mut one_on, &mut two_on);
        }
        let end = self.graphones..self.graphones + 1;
        let mut best: Option<(u32, u32)> = None;
        for hypothesis in &here.hypotheses {
            self.follow(hypothesis.state, &end, &mut candidates);
            let cost = hypothesis.cost + candidates[0].cost;
            if best.is_none_or(|(lowest, _)| cost < lowest) {
                best = Some((cost, hypothesis.trail));
            }
        }
        let mut graphones = Vec::with_capacity(letters.len());
        let mut step = best.map_or(u32::MAX, |(_, trail)| trail);
        while let Some(&(graphone, before)) = trail.get(step as usize) {
            graphones.push(graphone);
            step = before;
        }
        graphones.iter().rev().flat_map(|&graphone| self.graphone_sounds(graphone)).copied().collect()
    }
}

/// Returns the first index of the range for which `before` is `false`, or the end of the range. `before` must be `true`
/// for all smaller indices and `false` for all larger ones.
fn lower_bound(mut range: std::ops::Range<u32>, before: impl Fn(u32) -> bool) -> u32 {
    while !range.is_empty() {
        let middle = range.start + (range.end - range.start) / 2;
        if before(middle) {
            range.start = middle + 1;
        } else {
            range.end = middle;
        }
    }
    range.start
}

/// Hypotheses that have consumed the same letters, at most one per context.
#[derive(Default)]
struct Reached {
    hypotheses: Vec<Hypothesis>,
    best: Option<u32>,
}

impl Reached {
    /// Returns the maximum cost of a hypothesis that is worth keeping.
    fn limit(&self) -> u32 {
        self.best.map_or(u32::MAX, |best| best + BEAM_WIDTH)
    }

    /// Adds a hypothesis, unless its cost exceeds the limit or a hypothesis with the same context is at least as cheap.
    /// A costlier hypothesis with the same context is replaced.
    fn add(&mut self, trail: &mut Vec<(u32, u32)>, cost: u32, state: u32, step: (u32, u32)) {
        if cost > self.limit() {
            return;
        }
        let existing = self.hypotheses.iter_mut().find(|hypothesis| hypothesis.state == state);
        if existing.as_ref().is_some_and(|existing| existing.cost <= cost) {
            return;
        }
        let hypothesis = Hypothesis { cost, state, trail: trail.len() as u32 };
        trail.push(step);
        self.best = Some(self.best.map_or(cost, |best| best.min(cost)));
        match existing {
            Some(existing) => *existing = hypothesis,
            None => self.hypotheses.push(hypothesis),
        }
    }

    /// Keeps the best hypotheses, sorted by cost, and resets the best cost, so that the list can be reused.
    fn prune(&mut self) {
        let limit = self.limit();
        self.best = None;
        self.hypotheses.retain(|hypothesis| hypothesis.cost <= limit);
        self.hypotheses.sort_unstable_by_key(|hypothesis| (hypothesis.cost, hypothesis.state));
        self.hypotheses.truncate(BEAM);
    }
}
