/**
 * Transition tables: the one form in which every state machine is written, tested and documented.
 */
@NullMarked
package dev.fairlead.lifecycle;

import org.jspecify.annotations.NullMarked;
