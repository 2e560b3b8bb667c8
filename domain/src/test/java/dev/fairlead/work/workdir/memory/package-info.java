/** In-memory implementation of the store of code. */
@NullMarked
package dev.fairlead.work.workdir.memory;

import org.jspecify.annotations.NullMarked;
