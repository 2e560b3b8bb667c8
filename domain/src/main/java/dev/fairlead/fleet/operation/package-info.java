/** Slow work that a caller follows and may cancel: what it is, how far it is, how it ended. */
@NullMarked
package dev.fairlead.fleet.operation;

import org.jspecify.annotations.NullMarked;
