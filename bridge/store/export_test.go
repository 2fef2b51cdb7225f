package store

// LiveBytes is how much metadata the records of a list have in each block.
func LiveBytes(list []byte) (map[int64]int64, error) {
	records, err := readRecords(list)
	out := map[int64]int64{}
	for _, r := range records {
		if r.block != 0 {
			out[r.block] += r.length
		}
	}
	return out, err
}

// MalformedBlocks are the errors of blocks that no packer made.
func MalformedBlocks(blocks ...string) (errs []error) {
	for _, b := range blocks {
		_, err := partsOf(1, []byte(b))
		errs = append(errs, err)
	}
	return errs
}
