/** Says which rows belong on the axis of what is asked for, and what the caller sees of them. */
@NullMarked
package dev.fairlead.care.timeline.service;

import org.jspecify.annotations.NullMarked;
