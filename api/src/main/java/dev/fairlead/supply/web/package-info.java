/** REST of supplies of pools. */
@NullMarked
package dev.fairlead.supply.web;

import org.jspecify.annotations.NullMarked;
