/** In-memory twin of operations. */
@NullMarked
package dev.fairlead.operation.memory;

import org.jspecify.annotations.NullMarked;
