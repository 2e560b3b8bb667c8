/** In-memory implementation of the transfer store. */
@NullMarked
package dev.fairlead.data.transfer.memory;

import org.jspecify.annotations.NullMarked;
