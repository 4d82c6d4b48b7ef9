//! What a list is narrowed by: the query of a page is that of the control API.

/// What a page was asked for: what a form leaves empty is not asked.
pub(super) struct Filter(Vec<(String, String)>);

impl Filter {
    /// Reads a query.
    pub(super) fn read(query: Option<&str>) -> Self {
        let given = form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned();
        Filter(
            given
                .filter(|(_, value)| !value.trim().is_empty())
                .collect(),
        )
    }

    /// What is asked under this name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut given = self.0.iter();
        given
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.trim())
    }

    /// The same but for what is asked under this name.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.0.retain(|(known, _)| known != name);
        self
    }

    /// The same for the control API.
    pub(super) fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.0.iter().map(|(name, value)| (name, value.trim())));
        query.finish()
    }

    /// The same with another value under this name.
    pub(super) fn with(&self, name: &str, value: &str) -> String {
        let others = self.0.iter().filter(|(known, _)| known != name);
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(others.map(|(name, value)| (name, value.trim())));
        query.append_pair(name, value);
        query.finish()
    }
}
