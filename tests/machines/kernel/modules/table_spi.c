// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * An SPI controller without wires, for tests. Bus 0, chip select 0. The far end answers with every
 * bit turned round. A transfer takes as long as its clock says. What was sent can be read from
 * /dev/table_spi, one transfer a read: 12 bytes of header (length, clock in Hz, mode; native u32),
 * then the bytes. No transfer left: end of file.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kfifo.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/spi/spi.h>
#include <linux/vmalloc.h>

#define KEPT_BYTES (1 << 20)

struct sent {
	u32 length;
	u32 speed_hz;
	u32 mode;
};

static struct platform_device *device;
static struct spi_controller *controller;
static struct kfifo kept;
static void *kept_buffer;
static DEFINE_MUTEX(kept_lock);

static int table_spi_transfer(struct spi_controller *on, struct spi_device *to,
			      struct spi_transfer *transfer)
{
	const u8 *out = transfer->tx_buf;
	u8 *in = transfer->rx_buf;
	struct sent sent = { transfer->len, transfer->speed_hz, to->mode };
	unsigned int i;

	if (out) {
		mutex_lock(&kept_lock);
		/* A reader that does not keep up misses whole transfers, never parts of one. */
		if (kfifo_avail(&kept) >= sizeof(sent) + transfer->len) {
			kfifo_in(&kept, (const u8 *)&sent, sizeof(sent));
			kfifo_in(&kept, out, transfer->len);
		}
		mutex_unlock(&kept_lock);
	}
	for (i = 0; in && i < transfer->len; i++)
		in[i] = out ? ~out[i] : 0;
	if (transfer->speed_hz)
		fsleep(div_u64(8ULL * USEC_PER_SEC * transfer->len, transfer->speed_hz));
	return 0;
}

static ssize_t table_spi_read(struct file *file, char __user *to, size_t room, loff_t *at)
{
	struct sent sent;
	unsigned int copied;
	ssize_t result = 0;

	mutex_lock(&kept_lock);
	if (kfifo_out_peek(&kept, (u8 *)&sent, sizeof(sent)) == sizeof(sent)) {
		result = sizeof(sent) + sent.length;
		if (room < result)
			result = -EMSGSIZE;
		else if (kfifo_to_user(&kept, to, result, &copied))
			result = -EFAULT;
	}
	mutex_unlock(&kept_lock);
	return result;
}

static const struct file_operations table_spi_files = {
	.owner = THIS_MODULE,
	.read = table_spi_read,
};

static struct miscdevice table_spi_tap = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "table_spi",
	.fops = &table_spi_files,
};

/* No driver goes by this name: whoever sets the machine up gives the device to spidev. */
static struct spi_board_info board = {
	.modalias = "table-board",
	.max_speed_hz = 10000000,
};

static int __init table_spi_init(void)
{
	int error;

	kept_buffer = vmalloc(KEPT_BYTES);
	if (!kept_buffer)
		return -ENOMEM;
	kfifo_init(&kept, kept_buffer, KEPT_BYTES);
	device = platform_device_register_simple("table_spi", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device)) {
		error = PTR_ERR(device);
		goto no_device;
	}
	controller = __spi_alloc_controller(&device->dev, 0, false);
	if (!controller) {
		error = -ENOMEM;
		goto no_controller;
	}
	controller->bus_num = 0;
	controller->num_chipselect = 1;
	controller->mode_bits = SPI_CPOL | SPI_CPHA | SPI_CS_HIGH | SPI_LSB_FIRST | SPI_NO_CS;
	controller->transfer_one = table_spi_transfer;
	error = spi_register_controller(controller);
	if (error) {
		spi_controller_put(controller);
		goto no_controller;
	}
	error = misc_register(&table_spi_tap);
	if (error)
		goto no_tap;
	if (spi_new_device(controller, &board))
		return 0;
	error = -ENODEV;
	misc_deregister(&table_spi_tap);
no_tap:
	spi_unregister_controller(controller);
no_controller:
	platform_device_unregister(device);
no_device:
	vfree(kept_buffer);
	return error;
}

static void __exit table_spi_exit(void)
{
	spi_unregister_controller(controller);
	misc_deregister(&table_spi_tap);
	platform_device_unregister(device);
	vfree(kept_buffer);
}

module_init(table_spi_init);
module_exit(table_spi_exit);
MODULE_DESCRIPTION("SPI controller whose far end can be read back, for tests");
MODULE_LICENSE("Dual MIT/GPL");
