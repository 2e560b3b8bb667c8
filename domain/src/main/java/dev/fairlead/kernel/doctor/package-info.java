/** What is looked at when an operator asks what is wrong. */
@NullMarked
package dev.fairlead.kernel.doctor;

import org.jspecify.annotations.NullMarked;
