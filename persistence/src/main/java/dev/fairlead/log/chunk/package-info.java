/** Bytes of logs, in a directory or in a bucket. */
@NullMarked
package dev.fairlead.log.chunk;

import org.jspecify.annotations.NullMarked;
