/**
 * Adds members to running gangs or removes them, if the jobs allow it and no waiting job needs the
 * capacity.
 */
@NullMarked
package dev.fairlead.work.placement.elastic;

import org.jspecify.annotations.NullMarked;
