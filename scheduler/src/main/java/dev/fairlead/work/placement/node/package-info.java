/** Free and reserved capacity of one node. */
@NullMarked
package dev.fairlead.work.placement.node;

import org.jspecify.annotations.NullMarked;
