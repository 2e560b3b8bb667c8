/** Long-running operations that a caller can follow and cancel: kind, progress and result. */
@NullMarked
package dev.fairlead.fleet.operation;

import org.jspecify.annotations.NullMarked;
