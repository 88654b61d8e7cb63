"""Programs that load an installed package inside the sandbox."""
