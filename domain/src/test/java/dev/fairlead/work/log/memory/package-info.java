/** In-memory implementations of the log ports. */
@NullMarked
package dev.fairlead.work.log.memory;

import org.jspecify.annotations.NullMarked;
