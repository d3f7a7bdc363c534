// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * An I2C bus without wires, for tests. At address 0x24 lies a memory of 256 bytes: the first byte
 * written sets where, further ones are stored, a read goes on from there. Nobody else answers.
 */
#include <linux/i2c.h>
#include <linux/module.h>

#define ADDRESS 0x24

static u8 memory[256];
static u8 where;

static int table_i2c_transfer(struct i2c_adapter *on, struct i2c_msg *messages, int count)
{
	int i, j;

	for (i = 0; i < count; i++) {
		struct i2c_msg *message = &messages[i];

		if (message->addr != ADDRESS)
			return -ENXIO;
		for (j = 0; j < message->len; j++) {
			if (message->flags & I2C_M_RD)
				message->buf[j] = memory[where++];
			else if (j == 0)
				where = message->buf[0];
			else
				memory[where++] = message->buf[j];
		}
	}
	return count;
}

static u32 table_i2c_abilities(struct i2c_adapter *of)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm table_i2c_algorithm = {
	.master_xfer = table_i2c_transfer,
	.functionality = table_i2c_abilities,
};

static struct i2c_adapter table_i2c = {
	.owner = THIS_MODULE,
	.algo = &table_i2c_algorithm,
	.name = "table_i2c",
};

static int __init table_i2c_init(void)
{
	return i2c_add_adapter(&table_i2c);
}

static void __exit table_i2c_exit(void)
{
	i2c_del_adapter(&table_i2c);
}

module_init(table_i2c_init);
module_exit(table_i2c_exit);
MODULE_DESCRIPTION("I2C bus with a memory on it, for tests");
MODULE_LICENSE("Dual MIT/GPL");
