/** In-memory store of operations. */
@NullMarked
package dev.fairlead.fleet.operation.memory;

import org.jspecify.annotations.NullMarked;
