//! A random generator, and elements that can be changed.

/// A small random generator with a seed (SplitMix64).
pub struct Random(u64);

impl Random {
    /// Creates a generator.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits() % end as u64).unwrap_or(0)
    }

    /// Returns true in `percent` of all cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the items.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// Part of an element.
#[derive(Clone)]
pub enum Item {
    /// A child element.
    Element(Element),
    /// Text, comment or CDATA section, as in the source.
    Source(String),
}

/// An element that can be changed.
#[derive(Clone)]
pub struct Element {
    /// Qualified name as in the source.
    pub name: String,
    /// Names and values as in the source.
    pub attributes: Vec<(String, String)>,
    /// Parts in their order.
    pub items: Vec<Item>,
}

impl Element {
    /// Parses the element at the start of a well-formed text without `>` in values, and returns the
    /// text after it.
    pub fn parse(text: &str) -> Option<(Self, &str)> {
        let (tag, mut rest) = text.strip_prefix('<')?.split_once('>')?;
        let (tag, is_empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (name, mut tail) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut element = Self { name: name.to_owned(), attributes: Vec::new(), items: Vec::new() };
        while let Some((name, value)) = tail.split_once("=\"") {
            let (value, after) = value.split_once('"')?;
            element.attributes.push((name.trim().to_owned(), value.to_owned()));
            tail = after;
        }
        if is_empty {
            return Some((element, rest));
        }
        loop {
            let start = rest.find('<')?;
            if start > 0 {
                element.items.push(Item::Source(rest[..start].to_owned()));
            }
            rest = &rest[start..];
            if let Some(after) = rest.strip_prefix("</") {
                return Some((element, after.split_once('>')?.1));
            }
            let (child, after) = Self::parse(rest)?;
            element.items.push(Item::Element(child));
            rest = after;
        }
    }

    /// Appends the source of the element.
    pub fn write(&self, out: &mut String) {
        out.extend(["<", &self.name]);
        for (name, value) in &self.attributes {
            out.extend([" ", name, "=\"", value, "\""]);
        }
        out.push('>');
        for item in &self.items {
            match item {
                Item::Element(child) => child.write(out),
                Item::Source(text) => out.push_str(text),
            }
        }
        out.extend(["</", &self.name, ">"]);
    }

    /// Returns the name without the prefix.
    pub fn local_name(&self) -> &str {
        self.name.rsplit(':').next().unwrap_or_default()
    }

    /// Returns the number of elements with this local name, here and below. None counts all.
    fn count(&self, name: Option<&str>) -> usize {
        let own = usize::from(name.is_none_or(|name| self.local_name() == name));
        let children = self.items.iter().map(|item| match item {
            Item::Element(child) => child.count(name),
            Item::Source(_) => 0,
        });
        own + children.sum::<usize>()
    }

    /// Appends the path to the counted element with this number. Returns false, with the number
    /// reduced by the counted elements, if it is not here or below.
    fn find(&self, number: &mut usize, name: Option<&str>, path: &mut Vec<usize>) -> bool {
        if name.is_none_or(|name| self.local_name() == name) {
            if *number == 0 {
                return true;
            }
            *number -= 1;
        }
        for (index, item) in self.items.iter().enumerate() {
            if let Item::Element(child) = item {
                path.push(index);
                if child.find(number, name, path) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// Returns the element at a path.
    pub fn at(&mut self, path: &[usize]) -> Option<&mut Self> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        match self.items.get_mut(*first)? {
            Item::Element(child) => child.at(rest),
            Item::Source(_) => None,
        }
    }

    /// Returns the path of a random element, of one with this local name if there is one.
    pub fn random_path(&self, random: &mut Random, name: Option<&str>) -> Vec<usize> {
        let name = name.filter(|name| self.count(Some(name)) > 0);
        let mut path = Vec::new();
        self.find(&mut random.below(self.count(name)), name, &mut path);
        path
    }

    /// Removes the item at a path and returns it. None for the root.
    pub fn remove(&mut self, path: &[usize]) -> Option<Item> {
        let (last, parent) = path.split_last()?;
        let parent = self.at(parent)?;
        (*last < parent.items.len()).then(|| parent.items.remove(*last))
    }

    /// Inserts an item at a random place in the element at a path.
    pub fn insert(&mut self, random: &mut Random, path: &[usize], item: Item) {
        if let Some(parent) = self.at(path) {
            let index = random.below(parent.items.len() + 1);
            parent.items.insert(index, item);
        }
    }

    /// Replaces texts below the element, as an attacker who forges a copy of an assertion would.
    pub fn forge(&mut self, random: &mut Random) {
        let is_target =
            ["NameID", "AttributeValue", "Audience", "Issuer"].contains(&self.local_name());
        for item in &mut self.items {
            match item {
                Item::Element(child) => child.forge(random),
                Item::Source(text) if is_target && random.chance(60) => {
                    "eve@acme.example".clone_into(text);
                }
                Item::Source(_) => {}
            }
        }
    }
}
