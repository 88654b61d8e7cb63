(jsx_opening_element name: (identifier) @r)
(jsx_self_closing_element name: (identifier) @r)
