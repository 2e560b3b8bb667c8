/** Checks that an operator can request. */
@NullMarked
package dev.fairlead.kernel.doctor;

import org.jspecify.annotations.NullMarked;
