/** Selects the rows of a timeline and the parts visible to the caller. */
@NullMarked
package dev.fairlead.care.timeline.service;

import org.jspecify.annotations.NullMarked;
