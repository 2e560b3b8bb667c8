/** REST endpoints of timelines. */
@NullMarked
package dev.fairlead.care.timeline.web;

import org.jspecify.annotations.NullMarked;
