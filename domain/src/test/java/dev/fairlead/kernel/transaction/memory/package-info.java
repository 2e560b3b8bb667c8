/** The in-memory database behind all twins: one lock, an undo log, wake-ups after commit. */
@NullMarked
package dev.fairlead.kernel.transaction.memory;

import org.jspecify.annotations.NullMarked;
