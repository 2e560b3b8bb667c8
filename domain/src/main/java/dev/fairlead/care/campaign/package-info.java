/** Maintenance of many nodes, some at a time. */
@NullMarked
package dev.fairlead.care.campaign;

import org.jspecify.annotations.NullMarked;
