/** Maintenance of many nodes, a limited number at a time. */
@NullMarked
package dev.fairlead.care.campaign;

import org.jspecify.annotations.NullMarked;
