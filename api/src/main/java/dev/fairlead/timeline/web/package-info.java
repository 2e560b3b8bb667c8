/** Timelines over HTTP. */
@NullMarked
package dev.fairlead.timeline.web;

import org.jspecify.annotations.NullMarked;
