/** Content of logs, in a directory or in a bucket. */
@NullMarked
package dev.fairlead.work.log.chunk;

import org.jspecify.annotations.NullMarked;
