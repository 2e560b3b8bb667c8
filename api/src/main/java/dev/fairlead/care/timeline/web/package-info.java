/** Timelines over HTTP. */
@NullMarked
package dev.fairlead.care.timeline.web;

import org.jspecify.annotations.NullMarked;
