variable "key" {
  type = string
}

source "ionoscloud" "web" {
  image                = "Debian-13-server"
  location             = "de/txl"
  disk_size            = 10
  cores                = 1
  ram                  = 1024
  snapshot_name        = "web"
  ssh_username         = "root"
  ssh_private_key_file = var.key
}

build {
  sources = ["source.ionoscloud.web"]

  provisioner "shell" {
    inline = ["hostname > /root/note"]
  }
}
