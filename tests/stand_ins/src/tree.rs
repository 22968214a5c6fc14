//! Files and folders of the account at a stand-in.

/// A file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: String,
    /// Id of the folder that contains it. `root` is the root folder, which is no node.
    pub parent: String,
    pub name: String,
    /// Content. None for a folder.
    pub content: Option<Vec<u8>>,
    /// Media type. For native spreadsheets of the provider its own type.
    pub media_type: String,
    /// Number that grows with each change of the content.
    pub version: u64,
    /// Number that grows with each change.
    pub change: u64,
    pub is_trashed: bool,
    /// Time of the last change in RFC 3339. None for a fixed time in the past.
    pub modified: Option<String>,
    /// Shared link of the file.
    pub link: Option<String>,
    /// Password of the shared link.
    pub link_password: Option<String>,
}

/// The files and folders of an account.
#[derive(Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
    make_id: fn(u64) -> String,
    counter: u64,
}

impl Tree {
    /// Creates an empty account. `make_id` returns the id of the node with this number.
    pub fn new(make_id: fn(u64) -> String) -> Self {
        Self { nodes: Vec::new(), make_id, counter: 0 }
    }

    /// Adds a folder and returns its id.
    pub fn add_folder(&mut self, parent: &str, name: &str) -> String {
        self.add(parent, name, None)
    }

    /// Adds a file and returns its id.
    pub fn add_file(&mut self, parent: &str, name: &str, content: &[u8]) -> String {
        self.add(parent, name, Some(content.to_vec()))
    }

    fn add(&mut self, parent: &str, name: &str, content: Option<Vec<u8>>) -> String {
        self.counter += 1;
        let id = (self.make_id)(self.counter);
        self.nodes.push(Node {
            id: id.clone(),
            parent: parent.to_owned(),
            name: name.to_owned(),
            content,
            media_type: "application/octet-stream".to_owned(),
            version: self.counter,
            change: self.counter,
            is_trashed: false,
            modified: None,
            link: None,
            link_password: None,
        });
        id
    }

    /// Returns a node that is not in the trash.
    pub fn find(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id && !self.is_trashed(node))
    }

    /// Returns a node that is not in the trash, to change it without new numbers.
    pub fn find_mut(&mut self, id: &str) -> Option<&mut Node> {
        self.find(id)?;
        self.nodes.iter_mut().find(|node| node.id == id)
    }

    /// Returns the entry of a folder with this name in any case.
    pub fn find_child(&self, parent: &str, name: &str) -> Option<&Node> {
        let name = name.to_lowercase();
        self.children(parent).into_iter().find(|node| node.name.to_lowercase() == name)
    }

    /// Returns the entries of a folder in the order of their creation.
    pub fn children(&self, parent: &str) -> Vec<&Node> {
        self.nodes.iter().filter(|node| node.parent == parent && !self.is_trashed(node)).collect()
    }

    /// Returns whether a node or a folder around it is in the trash.
    fn is_trashed(&self, node: &Node) -> bool {
        node.is_trashed
            || self
                .nodes
                .iter()
                .find(|folder| folder.id == node.parent)
                .is_some_and(|folder| self.is_trashed(folder))
    }

    /// Replaces the content of a file. Returns whether it exists.
    pub fn set_content(&mut self, id: &str, content: &[u8]) -> bool {
        self.counter += 1;
        let counter = self.counter;
        let Some(node) = self.find_mut(id) else { return false };
        node.content = Some(content.to_vec());
        node.version = counter;
        node.change = counter;
        true
    }

    /// Renames a node. Returns whether it exists.
    pub fn rename(&mut self, id: &str, name: &str) -> bool {
        self.counter += 1;
        let counter = self.counter;
        let Some(node) = self.find_mut(id) else { return false };
        node.name = name.to_owned();
        node.change = counter;
        true
    }

    /// Moves a node to a folder. Returns whether it exists.
    pub fn move_to(&mut self, id: &str, parent: &str) -> bool {
        self.counter += 1;
        let counter = self.counter;
        let Some(node) = self.find_mut(id) else { return false };
        parent.clone_into(&mut node.parent);
        node.change = counter;
        true
    }

    /// Moves a node to the trash. Returns whether it exists.
    pub fn trash(&mut self, id: &str) -> bool {
        let Some(node) = self.find_mut(id) else { return false };
        node.is_trashed = true;
        true
    }
}
