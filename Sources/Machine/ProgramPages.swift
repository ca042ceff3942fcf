import CSystem

/// The pages of the program and its libraries that are in memory.
package enum ProgramPages {
    /// Lets those go that nothing writes to. What is used again comes back from the system's cache, sixteen pages at once; what only
    /// starting needed does not, so that a process that serves holds two thirds of the memory. Linux alone; elsewhere nothing
    /// happens.
    package static func release() { cs_release_program_pages() }
}
