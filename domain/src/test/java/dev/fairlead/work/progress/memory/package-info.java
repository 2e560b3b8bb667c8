/** In-memory implementations for tests. */
@NullMarked
package dev.fairlead.work.progress.memory;

import org.jspecify.annotations.NullMarked;
