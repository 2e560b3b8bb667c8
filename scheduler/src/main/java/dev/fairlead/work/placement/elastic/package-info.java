/**
 * Running gangs that get more members, or fewer, as their jobs allow and no waiting job needs the
 * capacity.
 */
@NullMarked
package dev.fairlead.work.placement.elastic;

import org.jspecify.annotations.NullMarked;
