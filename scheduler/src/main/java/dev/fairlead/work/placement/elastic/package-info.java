/**
 * Running gangs that get more or fewer members, if their jobs allow it and no waiting job needs the
 * capacity.
 */
@NullMarked
package dev.fairlead.work.placement.elastic;

import org.jspecify.annotations.NullMarked;
