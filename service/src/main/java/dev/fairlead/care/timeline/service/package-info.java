/** Selects the rows of a timeline, and the part of them that the caller may see. */
@NullMarked
package dev.fairlead.care.timeline.service;

import org.jspecify.annotations.NullMarked;
