/** Maintenance of many nodes, some at a time. */
@NullMarked
package dev.fairlead.campaign;

import org.jspecify.annotations.NullMarked;
