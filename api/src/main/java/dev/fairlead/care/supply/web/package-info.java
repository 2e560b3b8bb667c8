/** REST endpoints of supplies of pools. */
@NullMarked
package dev.fairlead.care.supply.web;

import org.jspecify.annotations.NullMarked;
