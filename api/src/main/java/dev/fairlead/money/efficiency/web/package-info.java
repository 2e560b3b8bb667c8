/** REST endpoints of idle jobs. */
@NullMarked
package dev.fairlead.money.efficiency.web;

import org.jspecify.annotations.NullMarked;
