/**
 * Transition tables: the one form in which every state machine is written, tested and documented.
 */
@NullMarked
package dev.fairlead.kernel.lifecycle;

import org.jspecify.annotations.NullMarked;
