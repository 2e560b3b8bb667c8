/** Running gangs that get more members, or fewer, as their jobs allow and nobody else needs. */
@NullMarked
package dev.fairlead.placement.elastic;

import org.jspecify.annotations.NullMarked;
