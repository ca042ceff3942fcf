/// Where the bytes stand that a string, a name or a number has.
package enum JSONSlice {
    /// In the text that is read.
    case read(Range<Int>)
    /// Among the texts that the reader has decoded.
    case decoded(Range<Int>)
}
